// SPDX-License-Identifier: GPL-3.0-or-later

// PageDrawing.h: what stands on a page in words.

#include <algorithm>
#include <cstdio>
#include <set>

#include "core/base/Text.h"
#include "core/workbench/figures/PageDrawing.h"
#include "core/workbench/figures/PageKey.h"

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
std::string commonClass(const PageContent& inference, std::size_t column) {
  const std::string& first = inference.rows.front().tiles[column]->className;
  for (const PageRow& row : inference.rows)
    if (row.tiles[column]->className != first) return "";
  return first;
}

std::string columnWords(const FigurePage& page, const PageContent& inference, std::size_t column) {
  const PageTile& tile = *inference.rows.front().tiles[column];
  if (tile.className.empty()) return tile.words;
  const std::string common = commonClass(inference, column);
  const bool asked = !page.columns[column].classText.empty() || !page.options.classText.empty();
  if (common.empty()) return tile.words + " for the predicted class of each image";
  return tile.words + " for " + common + (asked ? "" : ", the predicted class");
}

std::string scaleWords(const FigurePage& page, const PageContent& inference) {
  bool any = false, lit = false, diverging = false;
  for (const auto& row : pageScales(page, inference))
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
  if (diverging) words += "; where negative values matter, in diverging colors about 0";
  return words + ".";
}

/// "Practically uniform (values within 10 %): layer 3, head 1 of a.png."
std::string uniformWords(const PageContent& inference) {
  std::vector<std::string> named;
  for (const PageRow& row : inference.rows)
    for (const auto& tile : row.tiles)
      if (tile->isMap() && isPracticallyUniform(tile->values))
        named.push_back(tile->subject + " of " + row.name);
  return named.empty() ? "" : uniformText() + ": " + joined(named, 6);
}

std::string notesOf(const PageContent& inference) {
  std::vector<std::string> notes;
  std::set<std::string> said;
  for (const PageRow& row : inference.rows)
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

std::string keyWords(const FigurePage& page, const PageContent& inference) {
  const bool keyed = page.options.bars && !pageKey(inference).empty();
  return keyed ? "Colors of boxes and segments: the classes of the key" : "";
}

std::string outlineWords(const FigurePage& page, const PageContent& inference) {
  if (!page.options.maskOutline) return "";
  for (const PageRow& row : inference.rows)
    for (const auto& tile : row.tiles)
      if (tile->mask.isDrawn()) return "Outlined: what the mask of a head lets the query look at";
  return "";
}

/// "Boxes: around the patches that are marked; LOST in layer 11 of a.png: IoU 0.62 with cat".
std::string boxWords(const PageContent& inference) {
  bool any = false;
  std::vector<std::string> matches;
  for (const PageRow& row : inference.rows)
    for (std::size_t c = 0; c < row.tiles.size(); ++c) {
      any = any || row.tiles[c]->box;
      if (c < row.matches.size() && !row.matches[c].text.empty())
        matches.push_back(row.tiles[c]->subject + " of " + row.name + ": " + row.matches[c].text);
    }
  if (!any) return "";
  const std::string words = "Boxes: around the patches that are marked";
  return matches.empty() ? words : words + "; " + joined(matches, 6);
}

}  // namespace

std::string columnHeading(const FigurePage& page, const PageContent& inference,
                          std::size_t column) {
  const PageColumn& asked = page.columns[column];
  if (!asked.label.empty()) return asked.label;
  if (!page.options.headings) return "";
  std::string heading = inference.rows.front().tiles[column]->subject;
  const bool own = !asked.classText.empty() || !page.options.classText.empty();
  if (const std::string common = commonClass(inference, column); own && !common.empty())
    heading += " for " + common;
  return heading;
}

std::string imageLabel(const FigurePage& page, const PageContent& inference, std::size_t image) {
  const std::string& own = page.images[image].label;
  if (!own.empty()) return own;
  const PageRow& row = inference.rows[image];
  const std::string& names = page.options.names;
  if (names == "none") return "";
  const std::string prediction = predictionWords(row);
  if (names == "name" || prediction.empty()) return row.name;
  return names == "both" ? row.name + "\n" + prediction : prediction;
}

std::string pageCaption(const FigurePage& page, const PageContent& inference) {
  if (inference.rows.empty() || inference.rows.front().tiles.empty()) return "";
  std::string shown;
  for (std::size_t c = 0; c < page.columns.size(); ++c)
    addTo(shown, columnWords(page, inference, c), "; ");
  std::string caption;
  const char* const order =
      page.options.arrange == "rows" ? "From left to right: " : "From top to bottom: ";
  addSentence(caption, page.columns.size() > 1 ? order + shown : shown);
  addSentence(caption, scaleWords(page, inference));
  addSentence(caption, keyWords(page, inference));
  addSentence(caption, boxWords(inference));
  addSentence(caption, outlineWords(page, inference));
  addSentence(caption, uniformWords(inference));
  addSentence(caption, "Model: " + inference.model);
  addSentence(caption, notesOf(inference));
  addSentence(caption, inference.meaning);
  return caption;
}

}  // namespace headlight
