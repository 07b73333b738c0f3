// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CIFAR's pickles as Python 2 wrote them (protocol 2), made by hand so that they can be wrong.

#include <string>
#include <vector>

#include "tests/data/ZipWriter.h"

namespace headlight::test {

inline std::string pickledText(const std::string& text) {
  return "U" + littleEndian(text.size(), 1) + text;
}

inline std::string pickledTexts(const std::vector<std::string>& texts) {
  std::string pickle = "](";
  for (const std::string& text : texts)
    pickle += pickledText(text);
  return pickle + "e";
}

inline std::string pickledLabels(const std::vector<int>& labels) {
  std::string pickle = "](";
  for (const int label : labels)
    pickle += "K" + littleEndian(static_cast<std::uint64_t>(label), 1);
  return pickle + "e";
}

/// numpy.ndarray of [images, 3072] and dtype `dtype`.
inline std::string pickledArray(std::size_t images, const std::string& planes,
                                const std::string& dtype = "u1") {
  using namespace std::string_literals;
  return "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85"s + pickledText("b") +
         "\x87R(K\x01M" + littleEndian(images, 2) + "M\0\x0c\x86"s + "cnumpy\ndtype\n" +
         pickledText(dtype) + "K\0K\x01\x87R(K\x03"s + pickledText("|") +
         "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89"s + "T" + littleEndian(planes.size(), 4) +
         planes + "tb";
}

/// A dictionary of keys and pickled values.
inline std::string pickledDict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string pickle = "\x80\x02}(";
  for (const auto& [key, value] : items)
    pickle += pickledText(key) + value;
  return pickle + "u.";
}

inline std::string cifarPickle(const std::vector<int>& labels, const std::string& key = "labels") {
  std::string planes;
  for (const int label : labels)
    planes.append(3072, static_cast<char>(label * 7));
  return pickledDict({{"batch_label", pickledText("training batch 1 of 5")},
                      {key, pickledLabels(labels)},
                      {"data", pickledArray(labels.size(), planes)}});
}

}  // namespace headlight::test
