// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/foreign/NameTables.h"

namespace headlight {

std::vector<NameTable> nameTables() {
  std::vector<NameTable> all;
  for (const auto& tables :
       {bertTables(), clipTables(), swinTables(), levitTables(), otherTables()})
    all.insert(all.end(), tables.begin(), tables.end());
  return all;
}

}  // namespace headlight
