// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tables of classes as files: a number and a name a row, and perhaps a color.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/segments/SegmentClasses.h"

namespace headlight {

/// "index, name" or "index, name, red, green, blue" a line (0 to 255), separated by commas,
/// semicolons, tabs or blanks (then a name may have several words); a heading is skipped. Pixels of
/// a class that is called "ignored" or "void" are ignored. Throws Failure (InvalidFile), which
/// names the line: another number of columns, no number, an empty name or one that is not UTF-8; and
/// those of segmentClasses().
std::vector<SegmentTableRow> segmentTableFromText(std::string_view text, const std::string& where);

/// classes.txt or classes.csv in a folder; empty: it has none.
std::filesystem::path segmentTableIn(const std::filesystem::path& folder);

/// The classes of a table. Throws Failure as above; NotFound, Io, UnsupportedFile (too large).
SegmentClasses readSegmentTable(const std::filesystem::path& path);

/// The text of such a table (CSV with a heading): numbers are the places of the names.
std::string segmentTableText(const std::vector<std::string>& names,
                             const std::vector<ClassColor>& colors);

/// Whether a text is UTF-8: what names must be, to be shown and saved.
bool isUtf8Name(std::string_view name);

}  // namespace headlight
