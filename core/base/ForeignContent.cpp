// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ForeignContent.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/Text.h"

namespace headlight {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLooked = 512;
constexpr const char* kAgain =
    "; download it again, by the link to the file itself (at the Hugging Face hub /resolve/ "
    "instead of /blob/)";
constexpr const char* kUnpack = "; unpack it and give the file in it";

/// What a server answers in place of a file, as a browser or curl saves it.
constexpr std::array kAnswers{"entry not found"sv,
                              "not found"sv,
                              "404: not found"sv,
                              "404 not found"sv,
                              "access denied"sv,
                              "forbidden"sv,
                              "invalid username or password"sv,
                              "unauthorized"sv,
                              "repository not found"sv,
                              "access to model"sv,
                              "too many requests"sv,
                              "internal server error"sv,
                              "bad gateway"sv,
                              "<?xml version=\"1.0\" encoding=\"utf-8\"?><error>"sv,
                              "<error>"sv,
                              "{\"error\":"sv};

constexpr std::array kPages{"<!doctype html"sv, "<html"sv, "<head"sv};

struct Magic {
  std::string_view bytes;
  const char* is;
  const char* then;
};
constexpr std::array kMagics{
    Magic{"version https://git-lfs.github.com/spec/"sv, "is a Git LFS pointer, not the file itself",
          "; fetch the file with git lfs pull, or download it again"},
    Magic{"\x93NUMPY"sv, "is a NumPy array (.npy)", nullptr},
    Magic{"\x89HDF\r\n\x1a\n"sv, "is an HDF5 file, as written by Keras",
          "; read its arrays in Python and save them as safetensors"},
    Magic{"GGUF"sv, "is a GGUF file of llama.cpp", "; get the model's safetensors or .pth instead"},
    Magic{"%PDF-"sv, "is a PDF document", "; give the file itself"},
};

struct Packed {
  std::string_view bytes;
  PackedKind kind;
};
constexpr std::array kPacked{
    Packed{"\x1f\x8b"sv, {"is packed with gzip", "a gzip archive"}},
    Packed{"\xfd"
           "7zXZ\0"sv,
           {"is packed with xz", "an xz archive"}},
    Packed{"BZh"sv, {"is packed with bzip2", "a bzip2 archive"}},
    Packed{"\x28\xb5\x2f\xfd"sv, {"is packed with zstd", "a zstd archive"}},
    Packed{"7z\xbc\xaf\x27\x1c"sv, {"is a 7z archive", "a 7-Zip archive"}},
    Packed{"Rar!\x1a\x07"sv, {"is a RAR archive", "a RAR archive"}},
};

/// In small letters, without a mark, blanks and line breaks at its beginning.
std::string beginningOf(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf"sv)) head.remove_prefix(3);
  const auto first = head.find_first_not_of(" \t\r\n"sv);
  return lowered(std::string(first == head.npos ? std::string_view() : head.substr(first)));
}

/// The first line of a text, fit to be quoted.
std::string firstLine(std::string_view head) {
  constexpr std::size_t kMost = 40;
  const auto first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf"sv);
  std::string line;
  for (const char c : first == head.npos ? std::string_view() : head.substr(first)) {
    const bool plain = c >= ' ' && c <= '~';
    if (!plain || line.size() >= kMost) break;
    line += c;
  }
  return line;
}

}  // namespace

const PackedKind* packedKind(std::string_view head) {
  const auto found = std::find_if(kPacked.begin(), kPacked.end(), [&](const Packed& packed) {
    return head.starts_with(packed.bytes);
  });
  return found == kPacked.end() ? nullptr : &found->kind;
}

std::string foreignContent(std::string_view head) {
  head = head.substr(0, kLooked);
  if (const PackedKind* packed = packedKind(head)) return std::string(packed->is) + kUnpack;
  for (const Magic& magic : kMagics)
    if (head.starts_with(magic.bytes))
      return std::string(magic.is) +
             (magic.then ? magic.then : std::string("; ").append(kFromNumPy));
  const std::string text = beginningOf(head);
  const auto begins = [&](std::string_view with) { return text.starts_with(with); };
  if (std::any_of(kPages.begin(), kPages.end(), begins))
    return std::string("is a web page (HTML), not the file itself") + kAgain;
  if (std::any_of(kAnswers.begin(), kAnswers.end(), begins))
    return "is a server response (\"" + firstLine(head) + "\"), not the file itself" + kAgain;
  return {};
}

}  // namespace headlight
