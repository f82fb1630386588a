#include "store_sample.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/io/file_bytes.hpp>
#include <atoll/io/safe_file.hpp>

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace atl {
namespace {

using test::TemporaryFolder;

class SafeFileTest : public testing::Test {
 protected:
  CommunicatorPtr comm_ = make_self_communicator();
  TemporaryFolder folder_{comm_};
  std::string path_ = folder_.file("out");
};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode;
}

ErrorKind failure_kind(const std::string& path) {
  try {
    write_file_safely(path, "text");
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "no error for " << path;
  return ErrorKind::internal;
}

TEST_F(SafeFileTest, TheOldFileStaysUntilTheNewOneIsWhole) {
  test::write_bytes(path_, "old");
  SafeFile file(*comm_, path_);
  test::write_bytes(file.temporary(), "new");
  EXPECT_EQ(test::read_bytes(path_), "old");
  file.commit(*comm_);
  EXPECT_EQ(test::read_bytes(path_), "new");
  EXPECT_EQ(folder_.list().size(), 1u);
}

TEST_F(SafeFileTest, WithoutCommitNothingIsLeft) {
  { const SafeFile file(*comm_, path_); }
  EXPECT_TRUE(folder_.list().empty());
  test::write_bytes(path_, "old");
  { const SafeFile file(*comm_, path_); }
  EXPECT_EQ(folder_.list().size(), 1u);
  EXPECT_EQ(test::read_bytes(path_), "old");
}

TEST_F(SafeFileTest, TwoWritersOfOneFileDoNotMix) {
  SafeFile first(*comm_, path_), second(*comm_, path_);
  EXPECT_NE(first.temporary(), second.temporary());
  test::write_bytes(first.temporary(), "first");
  test::write_bytes(second.temporary(), "second");
  first.commit(*comm_);
  second.commit(*comm_);
  EXPECT_EQ(test::read_bytes(path_), "second");
}

TEST_F(SafeFileTest, AFileThatIsGivenUpIsGoneAndCannotBeCommitted) {
  test::write_bytes(path_, "old");
  SafeFile lost(*comm_, path_);
  SafeFile done(*comm_, folder_.file("done"));
  done.commit(*comm_);
  give_up_unfinished_files();
  EXPECT_EQ(folder_.list().size(), 2u);
  EXPECT_THROW(lost.commit(*comm_), Error);
  EXPECT_EQ(test::read_bytes(path_), "old");
  // The places of finished files are free again.
  for (int i = 0; i < 100; ++i) SafeFile(*comm_, path_).commit(*comm_);
  {
    SafeFile last(*comm_, path_);
    give_up_unfinished_files();
    EXPECT_THROW(last.commit(*comm_), Error);
  }
  EXPECT_EQ(folder_.list().size(), 2u);
}

TEST_F(SafeFileTest, KeepsPermissionsAndFollowsLinks) {
  test::write_bytes(path_, "old");
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  const std::string link = folder_.file("link");
  ASSERT_EQ(::symlink("out", link.c_str()), 0);
  write_file_safely(link, "new");
  EXPECT_EQ(test::read_bytes(path_), "new");
  EXPECT_EQ(mode_of(path_) & 0777, mode_t{0640});
  EXPECT_TRUE(S_ISLNK(mode_of(link)));
}

TEST_F(SafeFileTest, NewFilesFollowTheUmask) {
  const mode_t before = ::umask(027);
  write_file_safely(path_, "");
  ::umask(before);
  EXPECT_EQ(mode_of(path_) & 0777, mode_t{0640});
}

TEST_F(SafeFileTest, ADeviceStaysADevice) {
  write_file_safely("/dev/null", "text");
  EXPECT_TRUE(S_ISCHR(mode_of("/dev/null")));
}

TEST_F(SafeFileTest, SaysWhatCannotBeWritten) {
  EXPECT_EQ(failure_kind(folder_.file("none/out")), ErrorKind::environment);
  EXPECT_EQ(failure_kind(folder_.file("")), ErrorKind::environment);
  EXPECT_EQ(failure_kind("/dev/full"), ErrorKind::environment);
  EXPECT_EQ(failure_kind(""), ErrorKind::usage);
  EXPECT_TRUE(folder_.list().empty());
}

TEST_F(SafeFileTest, AllRanksGetTheSameNameOrTheSameError) {
  run_virtual_cluster(5, [&](CommunicatorPtr comm) {
    SafeFile file(*comm, path_);
    EXPECT_EQ(comm->broadcast(file.temporary(), 0), file.temporary());
    EXPECT_THROW(SafeFile(*comm, folder_.file("none/out")), Error);
    file.commit(*comm);
  });
  EXPECT_EQ(folder_.list().size(), 1u);
}

TEST_F(SafeFileTest, RanksWriteTheirRangesInAnyOrder) {
  run_virtual_cluster(4, [&](CommunicatorPtr comm) {
    SafeFile file(*comm, path_);
    OutputFile out(file.temporary());
    out.write(2 * comm->rank(), std::string(2, static_cast<char>('a' + comm->rank())));
    out.close();
    comm->barrier();
    file.commit(*comm);
  });
  EXPECT_EQ(test::read_bytes(path_), "aabbccdd");
}

// ---- what is read

TEST_F(SafeFileTest, KnowsFilesByTheirContent) {
  const auto kind = [&](const std::string& text) {
    test::write_bytes(path_, text);
    return file_kind(*comm_, path_);
  };
  EXPECT_EQ(kind("%%MatrixMarket matrix"), FileKind::matrix_market);
  EXPECT_EQ(kind(" \n%%matrixmarket"), FileKind::matrix_market);
  EXPECT_EQ(kind("\x89HDF\r\n\x1a\nrest"), FileKind::hdf5);
  EXPECT_EQ(kind(std::string(1024, ' ') + "\x89HDF\r\n\x1a\n"), FileKind::hdf5);
  EXPECT_EQ(kind("\x1f\x8b\x08"), FileKind::gzip);
  EXPECT_EQ(kind(""), FileKind::empty);
  EXPECT_EQ(kind("3 3 1\n1 1 1\n"), FileKind::text);
  EXPECT_EQ(kind("%%"), FileKind::text);
  EXPECT_EQ(kind(std::string("\0\0\0", 3)), FileKind::binary);
}

TEST_F(SafeFileTest, SaysWhyAFileCannotBeRead) {
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {folder_.file("missing"), folder_.file(""), pipe, std::string("/dev/null/x")}) {
    try {
      file_kind(*comm_, path);
      ADD_FAILURE() << "no error for " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_EQ(error.where(), path);
    }
  }
}

TEST_F(SafeFileTest, NoticesAFileThatShrinks) {
  test::write_bytes(path_, "0123456789");
  const FileBytes bytes(path_);
  char text[4] = {};
  bytes.read(6, text);
  EXPECT_EQ(std::string(text, 4), "6789");
  ASSERT_EQ(::truncate(path_.c_str(), 7), 0);
  EXPECT_THROW(bytes.read(6, text), Error);
}

} // namespace
} // namespace atl
