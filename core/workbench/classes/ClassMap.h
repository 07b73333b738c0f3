// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file in which a person writes which class of a dataset is which of a model. No torch type
// here.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

struct ClassMapEntry {
  std::string folder;                 ///< the class, as the dataset calls it
  std::string name;                   ///< the model's; empty: `index` says it
  std::optional<std::int64_t> index;  ///< the model's; beside `name`: what that reads as
  std::string place;                  ///< in the file, for messages: "line 3", "cat"
};

/// Folders are there once, in the order of the file.
struct ClassMap {
  std::vector<ClassMapEntry> entries;
  std::string where;  ///< the file
};

/// A JSON object from the data's class to the model's name (text) or index (a number), at most
/// 50,000 of them; or text with two columns a line, separated by a tab or a comma, names with
/// commas in double quotes, an index in digits, a first line "folder,class" left out. At most
/// 16 MB. Errors: InvalidFile, which names line or key: another number of columns, an empty name,
/// a class that is there twice with other values, an index that is no whole number from 0.
Result<ClassMap> readClassMap(const std::filesystem::path& path);
/// The same of the file's text; `where` is for messages.
Result<ClassMap> classMapFromText(std::string_view text, const std::string& where);

}  // namespace headlight
