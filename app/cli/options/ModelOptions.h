// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options that say which model a command works with, and opening it.

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight::cli {

struct ModelOptions {
  ModelSource source;
  std::string masks;      ///< a scheme's name or a file; empty: as the model says
  std::string imageSize;  ///< of the images; empty: as the model says
  std::string promptFile;
  std::vector<std::string> prompts;  ///< of --prompt, behind those of the file

  /// --model, --weights, --take, --heads, --class-names, --prompts, --prompt, --prompt-template,
  /// --image-size, --transparency, --partial, --masks, --device, --threads, --seed.
  void declare(CLI::App& app);

  /// The source with the image's size and the prompts. Throws Failure where they are none.
  ModelSource completeSource() const;
  bool hasPrompts() const { return !promptFile.empty() || !prompts.empty(); }
  /// Throws Failure if neither a model nor weights were given.
  void require() const;
  /// Opens the model and warns about random weights and weights that do not fit.
  std::unique_ptr<InferenceSession> open(Terminal& terminal) const;
  /// The scheme asked for, or the one that the model came with. Throws Failure.
  MaskScheme masksFor(const ModelInfo& info) const;
};

/// What --masks names: a preset, a scheme that the person keeps, or a file. Throws Failure.
MaskScheme masksFromOption(const std::string& masks, const MaskShape& shape);

/// Warns about random weights and weights that do not fit, and notes what the reader noted.
void sayHowItOpened(const ModelInfo& info, Terminal& terminal);

/// A model by published name, config or checkpoint, without its weights. `heads` as ModelSource's.
/// Throws Failure.
Experiment experimentByName(const std::string& nameOrFile, int heads = 0);

/// A line for each layer with soft heads, behind `indent`: what they have learned.
void printAlphas(const SoftAlphas& alphas, const std::string& indent, Terminal& terminal);

/// The best classes as JSON: index, name, probability.
Json topJson(const std::vector<ClassScore>& top);

/// What every compute command tells of the model, as JSON.
Json modelJson(const ModelInfo& info, const MaskScheme& masks);

}  // namespace headlight::cli
