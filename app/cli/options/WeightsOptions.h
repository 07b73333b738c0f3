// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a file of weights leaves open, said the same way by every command that opens one.

#include <CLI/CLI.hpp>

#include <string>

namespace headlight::cli {

/// --take: one of several models; FILE[NAME] says the same.
void addTakeOption(CLI::App& command, std::string& take, const std::string& group = "");
/// FILE[NAME]: `file`, with what --take says in place of its own. `file` itself without.
std::string takenFrom(const std::string& file, const std::string& take);
/// --heads: of a ViT whose file does not state them.
void addHeadsOption(CLI::App& command, int& heads, const std::string& group = "");
/// --transparency: of images. Refused where it is none of the choices.
void addTransparencyOption(CLI::App& command, std::string& transparency,
                           const std::string& group = "");

}  // namespace headlight::cli
