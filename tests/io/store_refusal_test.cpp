// Files that are no store, or no longer one.
#include <atoll/io/store.hpp>

#include "store_sample.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::test {
namespace {

class StoreRefusal : public testing::Test {
 protected:
  TemporaryFolder folder{make_self_communicator()};
  Context self = test_context(make_self_communicator());
  StoreSample sample{{.rows = 30, .cols = 30, .density = 0.15, .seed = 21}, 3, 22};
  std::string path = folder.file("a.h5");

  void write(bool compress = false) {
    write_store(self, path, sample.rows<double>(0, 30), sample.numbering(0, 30),
                std::span<const GlobalIndex>(sample.ranges), {compress, "sample"});
  }

  /// The one line of the refusal, of the kind that is asked for.
  std::string refusal(ErrorKind kind = ErrorKind::bad_input) {
    try {
      (void)read_store<double>(self, path);
    } catch (const Error& error) {
      const std::string line = error.line();
      EXPECT_EQ(error.kind(), kind) << line;
      EXPECT_NE(line.find(path), std::string::npos) << line;
      for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
      return line;
    }
    ADD_FAILURE() << "the store was loaded";
    return "";
  }
  void expect_refusal(const std::string& words) {
    const std::string line = refusal();
    EXPECT_NE(line.find(words), std::string::npos) << line;
  }

  /// Changes one element of a dataset through HDF5, as another program would.
  template <class T>
  void set_element(const char* dataset, hsize_t index, T value, hid_t type) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, dataset, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
    H5Sselect_elements(space, H5S_SELECT_SET, 1, &index);
    EXPECT_GE(H5Dwrite(set, type, one, space, H5P_DEFAULT, &value), 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
  }

  /// Works on the open file.
  void edit(const std::function<void(hid_t)>& work) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    work(file);
    H5Fclose(file);
  }
};

TEST_F(StoreRefusal, NoStoreAtAll) {
  expect_refusal("o such file");
  path = folder.file("");
  expect_refusal("folder");
  path = folder.file("b.h5");
  write_bytes(path, "");
  expect_refusal("empty");
  write_bytes(path, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  expect_refusal("not an HDF5 file");
  write_bytes(path, "\x89HDF\r\n\x1a\n");
  refusal();
  ::mkfifo(folder.file("pipe").c_str(), 0600);
  path = folder.file("pipe");
  expect_refusal("not a regular file");
}

TEST_F(StoreRefusal, TruncatedAnywhere) {
  write();
  const std::string bytes = read_bytes(path);
  for (std::size_t size = 0; size < bytes.size(); size += size < 100 || size + 100 > bytes.size() ? 1 : 97) {
    SCOPED_TRACE(size);
    write_bytes(path, bytes.substr(0, size));
    refusal();
  }
  write_bytes(path, bytes + "more");
  refusal();
}

TEST_F(StoreRefusal, AlteredDatasetsAreNamed) {
  const std::vector<const char*> integers{
      "/matrix/shape",           "/matrix/row_ranges",         "/matrix/indptr",
      "/matrix/original_index",  "/matrix/halo/ghosts",        "/matrix/halo/send_index",
      "/matrix/halo/neighbours", "/matrix/halo/column_ranges", "/matrix/indices"};
  for (const char* dataset : integers) {
    write();
    set_element<std::int64_t>(dataset, 1, 13, H5T_NATIVE_INT64);
    expect_refusal(std::string(dataset) + " is altered");
  }
  write();
  set_element<double>("/matrix/data", 7, 0.25, H5T_NATIVE_DOUBLE);
  expect_refusal("/matrix/data is altered");
}

TEST_F(StoreRefusal, ChangedByAnotherProgramWithoutHarm) {
  write();
  edit([](hid_t file) { H5Gclose(H5Gcreate2(file, "/mine", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); });
  expect_refusal("changed by another program");
}

TEST_F(StoreRefusal, MissingPieces) {
  for (const char* name : {"/matrix", "/matrix/data", "/matrix/indices", "/matrix/indptr", "/matrix/shape",
                           "/matrix/row_ranges", "/matrix/original_index", "/matrix/halo", "/matrix/halo/ghosts"}) {
    write();
    edit([&](hid_t file) { H5Ldelete(file, name, H5P_DEFAULT); });
    expect_refusal(name);
  }
  for (const char* name : {"format", "name"}) {
    write();
    edit([&](hid_t file) { H5Adelete_by_name(file, "/matrix", name, H5P_DEFAULT); });
    expect_refusal(name);
  }
  write();
  edit([&](hid_t file) { H5Adelete_by_name(file, "/matrix/data", "checksum", H5P_DEFAULT); });
  expect_refusal("/matrix/data has no attribute 'checksum'");
}

/// Replaces a dataset by another with the same name.
void replace(hid_t file, const char* name, hid_t type, std::initializer_list<hsize_t> size, bool chunked = false) {
  H5Ldelete(file, name, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(static_cast<int>(size.size()), size.begin(), nullptr);
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[2] = {1, 1};
  if (chunked) H5Pset_chunk(list, static_cast<int>(size.size()), chunk);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  EXPECT_GE(set, 0);
  H5Dclose(set);
  H5Pclose(list);
  H5Sclose(space);
}

TEST_F(StoreRefusal, WrongTypesShapesAndSizes) {
  write();
  edit([](hid_t file) { replace(file, "/matrix/data", H5T_STD_I32LE, {30}); });
  expect_refusal("another type");
  write();
  edit([](hid_t file) { replace(file, "/matrix/data", H5T_IEEE_F64BE, {30}); });
  expect_refusal("another type");
  write();
  edit([](hid_t file) { replace(file, "/matrix/indptr", H5T_STD_I64LE, {31, 1}); });
  expect_refusal("dimensions");
  write();
  edit([](hid_t file) { replace(file, "/matrix/indptr", H5T_STD_I64LE, {30}); });
  refusal();
  write();
  edit([](hid_t file) { replace(file, "/matrix/data", H5T_IEEE_F64LE, {1000000000000000000}); });
  expect_refusal("cannot hold");
  write();
  edit([](hid_t file) { replace(file, "/matrix/indices", H5T_STD_I64LE, {1000000000000000000}, true); });
  expect_refusal("cannot hold");
  write();
  edit([](hid_t file) {
    H5Ldelete(file, "/matrix/data", H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "/matrix/data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  });
  expect_refusal("/matrix/data is not a dataset");
}

TEST_F(StoreRefusal, OtherFormats) {
  write();
  edit([](hid_t file) {
    H5Adelete_by_name(file, "/matrix", "format", H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, 3);
    const hid_t attribute =
        H5Acreate_by_name(file, "/matrix", "format", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, "csc");
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
  });
  expect_refusal("'csc'");
}

TEST_F(StoreRefusal, OriginalNumbersThatAreNoPermutation) {
  Numbering numbering = sample.numbering(0, 30);
  numbering.original_index[3] = numbering.original_index[4];
  write_store(self, path, sample.rows<double>(0, 30), numbering);
  expect_refusal("twice");
  numbering.original_index[3] = 30;
  write_store(self, path, sample.rows<double>(0, 30), numbering);
  expect_refusal("row 30");
}

TEST_F(StoreRefusal, ALockIsNamedAndCanBeSwitchedOff) {
  write();
  const int held = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  const std::string line = refusal(ErrorKind::environment);
  EXPECT_NE(line.find("HDF5_USE_FILE_LOCKING=FALSE"), std::string::npos) << line;
  H5close(); // HDF5 looks at its environment when it starts
  ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
  EXPECT_EQ(difference(read_store<double>(self, path).rows, sample.rows<double>(0, 30)), "");
  ::unsetenv("HDF5_USE_FILE_LOCKING");
  H5close();
  ::close(held);
}

TEST_F(StoreRefusal, AReadOnlyFileInAReadOnlyFolderLoads) {
  write();
  ::chmod(path.c_str(), 0444);
  ::chmod(folder.file("").c_str(), 0555);
  EXPECT_EQ(difference(read_store<double>(self, path).rows, sample.rows<double>(0, 30)), "");
  ::chmod(folder.file("").c_str(), 0755);
}

TEST_F(StoreRefusal, NothingIsPrintedOrLeftBehind) {
  write();
  edit([](hid_t file) { replace(file, "/matrix/data", H5T_IEEE_F64LE, {1000000000000000000}); });
  testing::internal::CaptureStderr();
  refusal();
  path = folder.file("nowhere/a.h5");
  EXPECT_THROW(write(), Error);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(folder.list(), (std::vector<std::string>{"a.h5"}));
  // The caller's own setting of HDF5 is as it was.
  H5E_auto2_t print = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  EXPECT_NE(print, nullptr);
}

} // namespace
} // namespace atl::test
