// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/FileContent.h"

#include <gtest/gtest.h>

#include <string>

namespace headlight {
namespace {

using namespace std::string_view_literals;

TEST(FileContent, IsToldFromTheFirstBytes) {
  EXPECT_EQ(contentOf("{\"a\": 1}"sv), FileContent::Json);
  EXPECT_EQ(contentOf(" \n\t[1]"sv), FileContent::Json);
  EXPECT_EQ(contentOf("\xef\xbb\xbf{}"sv), FileContent::Json);
  EXPECT_EQ(contentOf("PK\x03\x04rest"sv), FileContent::Checkpoint);
  EXPECT_EQ(contentOf("\x89PNG\r\n\x1a\n"sv), FileContent::Png);
  EXPECT_EQ(contentOf("RIFF....WEBPVP8 "sv), FileContent::OtherPicture);
  EXPECT_EQ(contentOf("#EXTM3U\nclip.avi\n"sv), FileContent::Playlist);
  EXPECT_EQ(contentOf("<?xml version='1.0'?><MPD/>"sv), FileContent::Playlist);
  EXPECT_EQ(contentOf("{\"text\": \"<playlist\"}"sv), FileContent::Json);
  for (const auto unknown : {""sv, "hello"sv, "RIFF....WAVE"sv, "\0\0"sv, "{\0"sv})
    EXPECT_EQ(contentOf(unknown), FileContent::Unknown) << std::string(unknown);
}

TEST(FileContent, ASafetensorsHeaderMayBeOfAnyLength) {
  // 123 is '{', 91 '[', 32 a space: none of them makes it JSON.
  for (const char length : {'{', '[', ' ', '\n'})
    EXPECT_EQ(contentOf(std::string_view(std::string{length} + std::string(7, '\0') + "{\"a\"")),
              FileContent::Checkpoint);
}

TEST(FileContent, WhatIsNoFileIsUnknown) {
  EXPECT_EQ(contentOfFile("/dev/zero"), FileContent::Unknown);
  EXPECT_EQ(contentOfFile("/nowhere/at/all"), FileContent::Unknown);
}

}  // namespace
}  // namespace headlight
