// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/BatchRows.h"

namespace headlight {

std::vector<std::int64_t> rowsOfPart(std::int64_t rows, std::int64_t part, std::int64_t parts) {
  const std::int64_t pairs = (rows + 1) / 2;
  const std::int64_t begin = pairs * part / parts, end = pairs * (part + 1) / parts;
  std::vector<std::int64_t> taken;
  for (std::int64_t row = begin; row < end; ++row)
    taken.push_back(row);
  for (std::int64_t row = end; row-- > begin;)
    if (const std::int64_t mirrored = rows - 1 - row; mirrored > row) taken.push_back(mirrored);
  return taken;
}

}  // namespace headlight
