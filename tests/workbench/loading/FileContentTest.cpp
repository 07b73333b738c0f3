// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/FileContent.h"

#include <gtest/gtest.h>

#include <string>

namespace headlight {
namespace {

using namespace std::string_view_literals;

TEST(FileContent, IsToldFromTheFirstBytes) {
  EXPECT_EQ(identifyContent("{\"a\": 1}"sv), FileContent::Json);
  EXPECT_EQ(identifyContent(" \n\t[1]"sv), FileContent::Json);
  EXPECT_EQ(identifyContent("\xef\xbb\xbf{}"sv), FileContent::Json);
  EXPECT_EQ(identifyContent("PK\x03\x04rest"sv), FileContent::Checkpoint);
  EXPECT_EQ(identifyContent("\x89PNG\r\n\x1a\n"sv), FileContent::Png);
  EXPECT_EQ(identifyContent("RIFF....WEBPVP8 "sv), FileContent::OtherImage);
  EXPECT_EQ(identifyContent("#EXTM3U\nclip.avi\n"sv), FileContent::Playlist);
  EXPECT_EQ(identifyContent("<?xml version='1.0'?><MPD/>"sv), FileContent::Playlist);
  EXPECT_EQ(identifyContent("{\"text\": \"<playlist\"}"sv), FileContent::Json);
  for (const auto unknown : {""sv, "hello"sv, "RIFF....WAVE"sv, "\0\0"sv, "{\0"sv})
    EXPECT_EQ(identifyContent(unknown), FileContent::Unknown) << std::string(unknown);
}

TEST(FileContent, ASafetensorsHeaderMayBeOfAnyLength) {
  // 123 is '{', 91 '[', 32 a space: none of them makes it JSON.
  for (const char length : {'{', '[', ' ', '\n'})
    EXPECT_EQ(
        identifyContent(std::string_view(std::string{length} + std::string(7, '\0') + "{\"a\"")),
        FileContent::Checkpoint);
}

TEST(FileContent, WhatIsNoFileIsUnknown) {
  EXPECT_EQ(contentOfFile("/dev/zero"), FileContent::Unknown);
  EXPECT_EQ(contentOfFile("/nowhere/at/all"), FileContent::Unknown);
}

}  // namespace
}  // namespace headlight
