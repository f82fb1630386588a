/* A module without the entry that Atoll looks for. */
int atoll_test_bare(void);
int atoll_test_bare(void) {
  return 1;
}
