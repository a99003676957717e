#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file.hpp"

namespace lw {
namespace file_test {

namespace fs = std::filesystem;

class WriteFile : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder), fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder = fs::temp_directory_path() / fmt::format("linkwright-file-{}", ::getpid());
};

TEST_F(WriteFile, WritesAndReplacesAtomically) {
  const fs::path file = folder / "a.txt";
  write_file(file.string(), std::string("one\0two", 7));
  EXPECT_EQ(content(file), std::string("one\0two", 7));
  write_file(file.string(), "2");
  EXPECT_EQ(content(file), "2");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WriteFile, KeepsPermissionsAndLinks) {
  const fs::path file = folder / "a.txt", link = folder / "link.txt";
  write_file(file.string(), "1");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(file, link);
  write_file(link.string(), "2");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(file), "2");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(WriteFile, ReportsFailuresAndLeavesNoFiles) {
  const auto reason = [](const std::string& path) -> std::string {
    try {
      write_file(path, "text");
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::io);
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(reason((folder / "none" / "a.txt").string()).find("there is no folder"), std::string::npos);
  EXPECT_NE(reason(folder.string()).find("it is a folder"), std::string::npos);
  EXPECT_NE(reason("/dev/full").find("No space left on device"), std::string::npos);
  EXPECT_NE(reason("").find("cannot be written"), std::string::npos);
  EXPECT_EQ(entries(), 0u);
}

// Those that belong together: where one cannot be written, the others stay as they were.
TEST_F(WriteFile, WritesAllOrNoneOfSeveral) {
  const std::string a = (folder / "a.h").string(), b = (folder / "b.c").string();
  write_files({{a, "1"}, {b, "1"}});
  EXPECT_EQ(content(b), "1");
  for (const std::string& bad : {(folder / "none" / "c").string(), folder.string(), std::string("/dev/full")}) {
    EXPECT_THROW(write_files({{a, "2"}, {b, "2"}, {bad, "2"}}), Error) << bad;
    EXPECT_EQ(content(a) + content(b), "11") << bad;
    EXPECT_EQ(entries(), 2u) << bad;
  }
}

TEST_F(WriteFile, AGrowingFileIsThereWhenItIsFinished) {
  const fs::path file = folder / "long.csv";
  write_file(file.string(), "before");
  {
    GrowingFile growing(file.string());
    std::string all;
    for (int k = 0; k < 20000; ++k) {
      growing.write(fmt::format("{}\n", k));
      all += fmt::format("{}\n", k);
    }
    EXPECT_EQ(content(file), "before");
    growing.finish();
    EXPECT_EQ(content(file), all);
  }
  {
    GrowingFile given_up(file.string());
    given_up.write("half");
  }
  EXPECT_TRUE(content(file).starts_with("0\n1\n"));
  EXPECT_EQ(entries(), 1u);  // nothing is left of it
  EXPECT_THROW(GrowingFile((folder / "no" / "where.csv").string()), Error);
  EXPECT_THROW(GrowingFile(folder.string()), Error);
  GrowingFile full("/dev/full");
  full.write("text");
  EXPECT_THROW(full.finish(), Error);
}

// A disk that is full after 100 kB, by a limit on the size of files: what fitted is there, whole lines of it, and the
// reason is given once.
TEST_F(WriteFile, AGrowingFileKeepsWhatFitsOnTheDisk) {
  const fs::path file = folder / "long.csv";
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string said;
  int refused = 0;
  {
    GrowingFile growing(file.string());
    for (int k = 0; k < 40000; ++k) {
      try {
        growing.write(fmt::format("{:05}\n", k));
      } catch (const Error& e) {
        ++refused;
        said = e.what();
      }
    }
    growing.finish();
  }
  GrowingFile nothing_fits((folder / "none.csv").string());
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &none);
  nothing_fits.write("text");
  EXPECT_THROW(nothing_fits.finish(), Error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(refused, 1);
  EXPECT_NE(said.find("cannot be written: File too large; it holds what came before"), std::string::npos) << said;
  const std::string held = content(file);
  EXPECT_GT(held.size(), 60'000u);
  EXPECT_EQ(held.size() % 6, 0u);
  EXPECT_TRUE(held.starts_with("00000\n00001\n") && held.ends_with("\n"));
  EXPECT_FALSE(fs::exists(folder / "none.csv"));
}

}  // namespace file_test
}  // namespace lw
