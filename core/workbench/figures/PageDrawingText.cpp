// SPDX-License-Identifier: GPL-3.0-or-later

// PageDrawing.h: what stands on a page in words.

#include <algorithm>
#include <cstdio>
#include <set>

#include "core/base/Text.h"
#include "core/workbench/figures/PageDrawing.h"

namespace headlight {
namespace {

/// "goldfinch 93 %"; empty where nothing is predicted.
std::string predictionWords(const PageRow& row) {
  if (row.top.empty()) return "";
  char share[24];
  std::snprintf(share, sizeof share, " %.0f\u00a0%%", 100 * row.top.front().probability);
  return row.top.front().name + share;
}

/// The class that all maps of a column are of; empty where they differ or have none.
std::string commonClass(const PageContent& look, std::size_t column) {
  const std::string& first = look.rows.front().tiles[column]->className;
  for (const PageRow& row : look.rows)
    if (row.tiles[column]->className != first) return "";
  return first;
}

std::string columnWords(const FigurePage& page, const PageContent& look, std::size_t column) {
  const PageTile& tile = *look.rows.front().tiles[column];
  if (tile.className.empty()) return tile.words;
  const std::string common = commonClass(look, column);
  const bool asked = !page.columns[column].classText.empty() || !page.options.classText.empty();
  if (common.empty()) return tile.words + " for the class that is predicted of each picture";
  return tile.words + " for " + common + (asked ? "" : ", which is predicted");
}

std::string scaleWords(const FigurePage& page, const PageContent& look) {
  bool any = false, lit = false, diverging = false;
  for (const auto& row : pageScales(page, look))
    for (const auto& drawn : row)
      if (drawn) {
        any = true;
        lit = lit || drawn->style != MapStyle::Overlay;
        diverging = diverging || drawn->colorMap == ColorMap::Diverging;
      }
  if (!any) return "";
  const std::string& scale = page.options.scale;
  std::string words = scale == "page"  ? "All maps share one scale"
                      : scale == "own" ? "Each map has a scale of its own"
                                       : "The maps of a " + scale + " share one scale";
  if (lit) words += ", fully lit from its 98th percentile on";
  if (diverging) words += "; where negative values matter, in diverging colours about 0";
  return words + ".";
}

std::string notesOf(const PageContent& look) {
  std::vector<std::string> notes;
  std::set<std::string> said;
  for (const PageRow& row : look.rows)
    for (const auto& tile : row.tiles)
      if (!tile->note.empty() && said.insert(tile->note).second) notes.push_back(tile->note);
  return joined(notes, 6);
}

/// Ends with a point, and begins a sentence of its own.
void addSentence(std::string& text, std::string sentence) {
  if (sentence.empty()) return;
  const auto letter = static_cast<unsigned char>(sentence.front());
  if (letter >= 'a' && letter <= 'z') sentence.front() = static_cast<char>(letter - 'a' + 'A');
  if (sentence.back() != '.') sentence += '.';
  addTo(text, sentence, " ");
}

}  // namespace

std::string columnHeading(const FigurePage& page, const PageContent& look, std::size_t column) {
  const PageColumn& asked = page.columns[column];
  if (!asked.label.empty()) return asked.label;
  if (!page.options.headings) return "";
  std::string heading = look.rows.front().tiles[column]->subject;
  const bool own = !asked.classText.empty() || !page.options.classText.empty();
  if (const std::string common = commonClass(look, column); own && !common.empty())
    heading += " for " + common;
  return heading;
}

std::string pictureLabel(const FigurePage& page, const PageContent& look, std::size_t picture) {
  const std::string& own = page.pictures[picture].label;
  if (!own.empty()) return own;
  const PageRow& row = look.rows[picture];
  const std::string& names = page.options.names;
  if (names == "none") return "";
  const std::string prediction = predictionWords(row);
  if (names == "name" || prediction.empty()) return row.name;
  return names == "both" ? row.name + "\n" + prediction : prediction;
}

std::string pageCaption(const FigurePage& page, const PageContent& look) {
  if (look.rows.empty() || look.rows.front().tiles.empty()) return "";
  std::string shown;
  for (std::size_t c = 0; c < page.columns.size(); ++c)
    addTo(shown, columnWords(page, look, c), "; ");
  std::string caption;
  const char* const order =
      page.options.arrange == "rows" ? "From left to right: " : "From top to bottom: ";
  addSentence(caption, page.columns.size() > 1 ? order + shown : shown);
  addSentence(caption, scaleWords(page, look));
  addSentence(caption, "Model: " + look.model);
  addSentence(caption, notesOf(look));
  addSentence(caption, look.meaning);
  return caption;
}

}  // namespace headlight
