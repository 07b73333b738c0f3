// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A flag for every parameter of one table that is in no config: --machines 4.

#include "app/cli/options/ParameterFlags.h"

namespace headlight::cli {

class TableFlags {
 public:
  /// `title`: of their group in --help. `table` must outlive it.
  TableFlags(const ParameterTable& table, const std::string& title);
  TableFlags(const TableFlags&) = delete;
  TableFlags& operator=(const TableFlags&) = delete;

  /// This object must stay where it is.
  void declare(CLI::App& app) { m_flags.declare(app, {""}); }
  bool empty() const { return m_flags.empty(); }
  /// Sets what was given in a struct of the table's type. Throws Failure naming the flag.
  void read(void* target) const;

 private:
  std::vector<Section> m_sections;  ///< the one; m_flags refers to it
  ParameterFlags m_flags;
};

}  // namespace headlight::cli
