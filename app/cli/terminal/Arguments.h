// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The command line before it is parsed.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace headlight::cli {

/// The arguments with "--" resolved: behind it nothing is an option, and "-x.png" becomes
/// "./-x.png", the same file. CLI11 by itself gives what follows "--" to the parent of a command
/// that has its files already, and reads it as options behind an option with many values. A "--"
/// that ends such an option's values stays.
class Arguments {
 public:
  /// `app`: with all commands and their options declared.
  Arguments(const CLI::App& app, int count, char** arguments);

  int count() const { return static_cast<int>(m_texts.size()); }
  char** values() { return m_values.data(); }

 private:
  std::vector<std::string> m_texts;
  std::vector<char*> m_values;
};

}  // namespace headlight::cli
