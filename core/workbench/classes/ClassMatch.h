// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which class of a model is which of a dataset, and what has to be said of it. No torch type here.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/ClassMatching.h"
#include "core/workbench/classes/ClassNames.h"

namespace headlight {

/// What is known of a model's classes.
struct ModelClasses {
  int count = 0;
  std::vector<std::string> names;  ///< may be empty
  std::vector<std::string> keys;   ///< as ModelInfo::classKeys
  ClassNamesFrom from = ClassNamesFrom::Nowhere;
  bool fromFile = true;  ///< its weights are; else they are random
};

struct ClassMatch {
  enum class By { Same, Name, Map, Number };
  /// The model's class of every class of the data; empty: they are the same.
  std::vector<std::int64_t> order;
  By by = By::Same;
  /// For people: "by number: the checkpoint has no class names"; empty where both have the same
  /// classes by name and nothing is to be said.
  std::string text;
};

/// Whether an error says that classes cannot be matched, and the ways out: InvalidArgument of
/// "data", which no other error of measuring is.
bool isClassMisfit(const Error& error);

/// The model's class of every class of `data`: by name (NameIndex), where a class map says it by
/// that; by number where `how` asks for it, and where the model has no names and as many classes.
/// Class folders are sorted one way by timm and another by torchvision, so that numbers alone are
/// never taken for names. Errors: isClassMisfit(), also for ambiguous names and for two classes of
/// the data that are one of the model by their names; those of readClassMap(). `remedy` ends their
/// messages ("; choose another teacher"); empty: the options of evaluating.
Result<ClassMatch> matchClasses(const std::vector<std::string>& data, const ModelClasses& model,
                                const ClassMatching& how = {}, const std::string& remedy = {});

}  // namespace headlight
