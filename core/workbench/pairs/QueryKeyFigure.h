// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The joint map of queries and keys as a figure and a table, and how its points are colored: the
// same in the window and in what commands write. No torch type here.

#include <filesystem>
#include <string>
#include <vector>

#include "core/imaging/drawing/Drawing.h"
#include "core/workbench/pairs/QueryKeyMap.h"

namespace headlight {

enum class PointColoring { Role, Row, Column, Class, Norm };

/// "role", "row", "column", "class", "norm", in the order of the enum.
const std::vector<std::string>& pointColoringNames();
/// Error: InvalidArgument, with the names that there are.
Result<PointColoring> pointColoringFromName(const std::string& name);

/// A value for each point, in [0, 1] from the least to the largest one, or a class; NaN: it has
/// none (a prefix token, an unknown class). Queries and keys have norms on one scale. Of roles: 0
/// and 1.
std::vector<double> pointValues(const QueryKeyMap& map, PointColoring coloring);

/// "layer 3, head 1: queries and keys of 12 images".
std::string queryKeyTitle(const QueryKeyMap& map);
/// "components show 41 % + 20 % of the variance; …", in one sentence each.
std::string queryKeyText(const QueryKeyMap& map);

/// Queries are dots, keys crosses.
Drawing queryKeyDrawing(const QueryKeyMap& map, PointColoring coloring, const std::string& subject);
/// image,role,token,row,column,x,y,norm,class: `image` is its index in the image source; no row and
/// column of a prefix token, no class where it is unknown.
std::string queryKeyCsv(const QueryKeyMap& map);
/// .pdf, .svg or .png, or the numbers as .csv. Errors: another name, a file that cannot be written.
Result<void> writeQueryKeyMap(const std::filesystem::path& path, const QueryKeyMap& map,
                              PointColoring coloring, const std::string& subject);

}  // namespace headlight
