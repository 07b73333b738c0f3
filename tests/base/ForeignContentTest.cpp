// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ForeignContent.h"

#include <gtest/gtest.h>

namespace headlight {
namespace {

using namespace std::string_view_literals;

TEST(ForeignContent, IsNamedWithTheWayOut) {
  const auto expect = [](std::string_view head, const std::vector<const char*>& words) {
    const std::string said = foreignContent(head);
    for (const char* word : words)
      EXPECT_NE(said.find(word), std::string::npos) << word << " in: " << said;
  };
  expect("<!DOCTYPE html><html><head><title>404"sv, {"web page", "download it again", "/resolve/"});
  expect("\xef\xbb\xbf \n<HTML lang=\"en\">"sv, {"web page"});
  expect("version https://git-lfs.github.com/spec/v1\noid sha256:ab"sv,
         {"Git LFS pointer", "git lfs pull"});
  expect("Entry not found"sv, {"server", "\"Entry not found\"", "download it again"});
  expect("{\"error\":\"Repository not found\"}"sv, {"server", "Repository"});
  expect("Invalid username or password.\n"sv, {"server"});
  expect("\x93NUMPY\1\0v\0{"sv, {"NumPy", "save_file", "safetensors"});
  expect("\x89HDF\r\n\x1a\n\0"sv, {"HDF5", "Keras"});
  expect("GGUF\3\0\0\0"sv, {"GGUF"});
  for (const auto packed : {"\x1f\x8b\x08"sv,
                            "\xfd"
                            "7zXZ\0\0"sv,
                            "BZh9"sv, "\x28\xb5\x2f\xfd."sv, "7z\xbc\xaf\x27\x1c"sv})
    expect(packed, {"unpack"});
}

TEST(ForeignContent, WhatIsReadHereIsNone) {
  for (const auto own :
       {"{\"model\": {}}"sv, "[1]"sv, "PK\x03\x04"sv, "\x89PNG\r\n\x1a\n"sv, "\xff\xd8\xff"sv,
        "\x80\x02}q"sv, "BM"sv, "\x10\0\0\0\0\0\0\0{\""sv, "tench\ngoldfish\n"sv, ""sv, " \n"sv})
    EXPECT_EQ(foreignContent(own), "") << own;
  EXPECT_EQ(foreignContent(std::string(1 << 20, ' ')), "");
}

}  // namespace
}  // namespace headlight
