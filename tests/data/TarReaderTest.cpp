// SPDX-License-Identifier: GPL-3.0-or-later

// Tables of tar archives: every kind of header, and archives that lie.

#include "core/data/files/TarReader.h"

#include <gtest/gtest.h>

#include "tests/data/Support.h"
#include "tests/data/TarWriter.h"

namespace headlight {
namespace {

using test::tarEnd;
using test::tarFile;
using test::tarHeader;

/// "name=bytes " of every file that is seen; "refused: …" where the archive is.
std::string seenIn(const std::string& bytes) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "a.tar", bytes);
  std::string seen;
  const auto walked = guarded("", [&] {
    const TarFile tar(folder / "a.tar");
    walkTar(tar, [&](const TarEntry& entry) {
      seen += entry.name + "=" + tar.read(entry.offset, entry.size) + " ";
    });
  });
  if (walked.ok()) return seen;
  EXPECT_NE(walked.error().text().find("a.tar"), std::string::npos) << "names the shard";
  return "refused: " + walked.error().text();
}

bool refuses(const std::string& bytes, const std::string& saying) {
  const std::string seen = seenIn(bytes);
  return seen.starts_with("refused: ") && seen.find(saying) != seen.npos;
}

std::string pax(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length)
    ++length;
  return tarFile("PaxHeaders/x", std::to_string(length) + rest, 'x');
}

TEST(TarReader, SeesRegularFilesAndPassesOverTheRest) {
  EXPECT_EQ(seenIn(tarFile("a.txt", "one") + tarFile("folder/", "", '5') +
                   tarFile("b", std::string(700, 'x')) + tarFile("link", "", '2') +
                   tarFile("old", "two", '\0') + tarFile("empty", "") + tarEnd()),
            "a.txt=one b=" + std::string(700, 'x') + " old=two empty= ");
  EXPECT_EQ(seenIn(tarEnd()), "");
  EXPECT_EQ(seenIn(tarFile("a", "1") + std::string(512, '\0')), "a=1 ") << "one block of zeros";
  EXPECT_EQ(seenIn(tarFile("a", "1") + tarEnd() + std::string(9000, '\0')), "a=1 ");
}

TEST(TarReader, ReadsLongNames) {
  const std::string longName = std::string(300, 'n') + "/image.jpg";
  EXPECT_EQ(seenIn(tarFile("././@LongLink", longName + '\0', 'L') + tarFile("short", "x") +
                   tarFile("b", "y") + tarEnd()),
            longName + "=x b=y ");
  EXPECT_EQ(seenIn(tarFile("././@LongLink", longName + '\0', 'L') +
                   tarFile("././@LongLink", "target", 'K') + tarFile("short", "x") + tarEnd()),
            longName + "=x ");
  EXPECT_EQ(seenIn(pax("path", longName) + tarFile("short", "x") + tarFile("b", "y") + tarEnd()),
            longName + "=x b=y ");
  std::string header = tarHeader("name", 1);
  header.replace(345, 6, "prefix");
  EXPECT_EQ(seenIn(test::summed(header) + test::padded("x") + tarEnd()), "prefix/name=x ");
  header.replace(257, 8, "ustar  \0", 8);
  EXPECT_EQ(seenIn(test::summed(header) + test::padded("x") + tarEnd()), "name=x ")
      << "GNU's old header has other things there";
}

TEST(TarReader, ReadsSizesOfEverySpelling) {
  std::string header = tarHeader("a", 0);
  header.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\3", 12));
  EXPECT_EQ(seenIn(test::summed(header) + test::padded("abc") + tarEnd()), "a=abc ");
  header.replace(124, 12, "         3  ");
  EXPECT_EQ(seenIn(test::summed(header) + test::padded("abc") + tarEnd()), "a=abc ");
  EXPECT_EQ(seenIn(pax("size", "3") + tarHeader("a", 0) + test::padded("abc") + tarEnd()),
            "a=abc ");
}

TEST(TarReader, NamesThatLeadElsewhereAreOnlyNames) {
  EXPECT_EQ(seenIn(tarFile("../../etc/passwd", "x") + tarFile("/etc/passwd", "y") + tarEnd()),
            "../../etc/passwd=x /etc/passwd=y ");
}

TEST(TarReader, RefusesTruncatedFiles) {
  const std::string whole = tarFile("a", std::string(2000, 'a')) + tarFile("b", "bb") + tarEnd();
  const std::string found = seenIn(whole);
  ASSERT_FALSE(found.starts_with("refused"));
  const std::size_t end = whole.size() - 1024;
  for (std::size_t length = 0; length < whole.size(); length += 111) {
    if (length >= end + 512) continue;  // one block of zeros is an end
    EXPECT_TRUE(refuses(whole.substr(0, length), "cut short")) << length;
    EXPECT_TRUE(refuses(whole.substr(0, length), "again")) << "says what to do";
  }
  EXPECT_TRUE(refuses(whole.substr(0, end), "without a tar's end")) << "between two entries";
}

TEST(TarReader, RefusesHeadersThatLie) {
  std::string wrong = tarFile("a", "1") + tarEnd();
  wrong[3] ^= 1;
  EXPECT_TRUE(refuses(wrong, "wrong checksum"));
  EXPECT_TRUE(refuses("\x1f\x8b" + std::string(2000, 'z'), "compressed"));
  for (const std::string size : {"77777777777", "99999999999", "-0000000001"}) {
    std::string header = tarHeader("a", 0);
    header.replace(124, 11, size);
    EXPECT_TRUE(seenIn(test::summed(header) + tarEnd()).starts_with("refused")) << size;
  }
  for (const std::string& size :
       {std::string("\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 12), std::string(12, '\xff')}) {
    std::string header = tarHeader("a", 0);
    header.replace(124, 12, size);
    EXPECT_TRUE(seenIn(test::summed(header) + tarEnd()).starts_with("refused"));
  }
  EXPECT_TRUE(refuses(tarFile("a", "1") + std::string(512, '\0') + tarFile("b", "2") + tarEnd(),
                      "followed by more data"));
  EXPECT_TRUE(refuses(tarFile("x", std::string(5000, 'n'), 'L') + tarFile("a", "1") + tarEnd(),
                      "5000 bytes"));
}

TEST(TarReader, RefusesSparseFilesAndBrokenPax) {
  EXPECT_TRUE(refuses(tarFile("a", "1", 'S') + tarEnd(), "sparse"));
  EXPECT_TRUE(refuses(pax("GNU.sparse.major", "1") + tarFile("a", "1") + tarEnd(), "sparse"));
  for (const std::string text : {"9", "x path=a\n", "99 path=a\n", "3 =\n", "9 patha\n\n",
                                 "11 size=-1\n", "9 path=ab", "0 a=b\n"})
    EXPECT_TRUE(refuses(tarFile("p", text, 'x') + tarFile("a", "1") + tarEnd(), "PAX")) << text;
  EXPECT_TRUE(refuses(pax("path", std::string(5000, 'n')) + tarFile("a", "1") + tarEnd(), "PAX"));
}

TEST(TarReader, RefusesNonFiles) {
  const TemporaryFolder folder;
  EXPECT_THROW(TarFile(folder.path()), Failure);
  EXPECT_THROW(TarFile(folder / "missing.tar"), Failure);
}

}  // namespace
}  // namespace headlight
