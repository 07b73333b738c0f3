// SPDX-License-Identifier: GPL-3.0-or-later

// Text whose bytes may be anything.

#include <gtest/gtest.h>

#include "core/base/Result.h"
#include "core/base/Utf8.h"

namespace headlight {
namespace {

TEST(Utf8, CharactersAreMeasured) {
  EXPECT_EQ(utf8Length("a"), 1u);
  EXPECT_EQ(utf8Length("\u00e4b"), 2u);
  EXPECT_EQ(utf8Length("\u20acb"), 3u);
  EXPECT_EQ(utf8Length("\U0001f600b"), 4u);
  EXPECT_EQ(utf8Length("\xc0\x80"), 0u);          // overlong
  EXPECT_EQ(utf8Length("\xed\xa0\x80"), 0u);      // a surrogate
  EXPECT_EQ(utf8Length("\xf4\x90\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(utf8Length("\xe2\x82"), 0u);          // broken off
  EXPECT_EQ(utf8Length("\x9b"), 0u);
}

TEST(Utf8, TerminalsAreSentNothingThatTheyObey) {
  EXPECT_EQ(fitForTerminal("a b\n\tc \u00e4 \u20ac \U0001f600"),
            "a b\n\tc \u00e4 \u20ac \U0001f600");
  EXPECT_EQ(fitForTerminal("\x1b[31mred\r\x7f"), "?[31mred??");
  EXPECT_EQ(fitForTerminal(std::string("a\0b", 3)), "a?b");
  // C1: U+009B is the beginning of an escape sequence in one character, U+0085 a new line.
  EXPECT_EQ(fitForTerminal("\xc2\x9b"
                           "31m"),
            "?31m");
  EXPECT_EQ(fitForTerminal("\xc2\x80\xc2\x85\xc2\x9f\xc2\xa0"), "???\xc2\xa0");
  // Bytes that are no UTF-8: a terminal of one byte a character takes 0x9B for the same.
  EXPECT_EQ(fitForTerminal("\x9b"
                           "31m\xff\xc2"),
            "?31m??");
}

TEST(Utf8, ALineIsOneLine) {
  EXPECT_EQ(fitForLine("a\r\nerror: fake\tb"), "a? error: fake b");
  EXPECT_EQ(fitForLine("x\u202egnp\u2066y\u2028z"), "x?gnp?y?z");
  EXPECT_EQ(fitForLine(std::string("whole\0text", 10)), "whole?text");
}

TEST(Utf8, MessagesOfErrorsAreOneCleanLine) {
  const Error error{ErrorCode::InvalidFile, "names \x1b]0;x\a\nerror: fake", "a\xc2\x9b.json"};
  EXPECT_EQ(error.text(), "a?.json: names ?]0;x? error: fake");
}

TEST(Utf8, CodePointsOfGoodAndBadText) {
  EXPECT_EQ(codePoints("aä€😀"), (std::vector<char32_t>{U'a', U'ä', U'€', U'😀'}));
  EXPECT_EQ(codePoints("a\xc3"), (std::vector<char32_t>{U'a', U'\ufffd'}));
  EXPECT_EQ(codePoints("\xff\x80z"), (std::vector<char32_t>{U'\ufffd', U'\ufffd', U'z'}));
  EXPECT_TRUE(codePoints("").empty());
}

TEST(Utf8, KnowsTextThatEndsWithinACharacter) {
  for (const std::string_view whole : {"", "a", "ä", "€", "😀", "\x80", "\xc1", "\xff\x80"})
    EXPECT_FALSE(endsWithinCharacter(whole)) << whole;
  for (const std::string_view cut : {"\xc3", "a\xe2\x82", "\xf0\x9f\x98", "\xf4\x8f"})
    EXPECT_TRUE(endsWithinCharacter(cut)) << cut;
}

}  // namespace
}  // namespace headlight
