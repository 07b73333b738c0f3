// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What files are that people take for weights, configs or images, from their first bytes.

#include <string>
#include <string_view>

namespace headlight {

/// What a file is and how to go on, as an error says it: "is a web page (HTML), not the file
/// itself; download it again …". `head`: its first bytes, 512 are enough. Empty for everything
/// else, what this program reads among it.
std::string foreignContent(std::string_view head);

/// How a file is packed, as errors say it: of one file, and of a folder's files.
struct PackedKind {
  const char* is;       ///< "is packed with gzip"
  const char* archive;  ///< "a gzip archive"
};
/// By a file's first bytes; null where it is not packed. ZIP is none of these: PyTorch writes it.
const PackedKind* packedKind(std::string_view head);

/// What to do with arrays of NumPy's: the same words for .npy and .npz.
inline constexpr const char* kFromNumPy =
    "in Python, save its arrays with safetensors.numpy.save_file(dict(numpy.load(FILE)), "
    "\"weights.safetensors\")";

}  // namespace headlight
