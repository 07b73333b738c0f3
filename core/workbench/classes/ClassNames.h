// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What classes are called: names in a file, and those of ImageNet-1k, which most published weights
// were trained on and few files name. No torch type here.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

/// Where the names of a model's classes come from.
enum class ClassNamesFrom {
  Nowhere,   ///< it has none: "class 12"
  Model,     ///< its own: of the checkpoint, or of the folder that it lies in
  ImageNet,  ///< assumed: it has 1000 classes and no names for them
  File,      ///< the person's
  Prompts,   ///< the texts that images are compared with
};
/// "model", "imagenet-1k, assumed", …: for JSON and tables.
const char* toText(ClassNamesFrom from);

/// For ImageNet-1k's 1000 classes, in their order (ascending WordNet identifiers), the words of
/// their synsets in WordNet 3.0: "tench, Tinca tinca".
const std::vector<std::string>& imagenetNames();
/// Their identifiers, as folders of the dataset are named: "n01440764".
const std::vector<std::string>& imagenetSynsets();

/// A name a line; or JSON: a list, an object from index to name, or one that has either under
/// `id2label` (transformers' config.json), `label_names` or `class_names`. At most 16 MB. Errors:
/// InvalidFile, also for another number of names than `classes`, which names both.
Result<std::vector<std::string>> readClassNames(const std::filesystem::path& path, int classes);

/// Names in a list, or in an object from index ("0", "1", …, none left out) to name. Throws
/// Failure(InvalidFile) that names `where`.
std::vector<std::string> classNamesFromJson(const Json& json, const std::string& where);

}  // namespace headlight
