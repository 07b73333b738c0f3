// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A flag for every parameter of an Experiment, or of another config of sections, made from the same
// tables as JSON, the checks and the window's forms: --training.epochs 5. Options of a mechanism or
// a backbone too:
// --model.attention.window 7. Which of them there are depends on the model: those of another one
// are refused when they are applied.

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/Experiment.h"

namespace headlight::cli {

class ParameterFlags {
 public:
  /// Sets a parameter by its path from a flag's text.
  using Override =
      std::function<Result<void>(Json& json, const std::string& path, const std::string& text)>;

  /// Flags of an Experiment.
  ParameterFlags();
  /// Flags of what these sections describe; `sections` must outlive it.
  ParameterFlags(const std::vector<Section>& sections, Override override);

  /// Declares the flags of these sections ("" is the top level: --seed), each section a group of
  /// --help. This object must stay where it is.
  void declare(CLI::App& app, const std::vector<std::string>& sectionKeys);

  bool empty() const { return m_given.empty(); }
  bool given(const std::string& path) const;
  /// Sets what was given, in the order of the tables: the model's names before its options. Throws
  /// Failure naming the parameter.
  void apply(Json& json) const { applyAs(*this, json); }
  /// The same, each flag meaning what it means in `other`: a path may be of more than one config.
  void applyAs(const ParameterFlags& other, Json& json) const;

  /// Declares those that the command has no flag for yet, in groups of their own: "Sequence models,
  /// Training".
  void declareRest(CLI::App& app, const std::vector<std::string>& sectionKeys,
                   const std::string& group);

 private:
  void declareOptions(CLI::App& app);
  /// Spellings of before: accepted, not shown.
  void addFormer(CLI::App& app, const std::string& prefix, const std::vector<std::string>& names);
  void declareSection(CLI::App& app, const Section& section, const std::string& group);
  void add(CLI::App& app, const std::string& path, const std::string& help, const std::string& type,
           const std::string& group);

  const std::vector<Section>& m_sections;
  Override m_override;
  std::vector<std::pair<std::string, std::string>> m_given;  ///< path and text
};

}  // namespace headlight::cli
