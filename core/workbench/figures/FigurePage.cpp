// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/FigurePage.h"

#include <set>

#include "core/analysis/Rollout.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/imaging/Headlight.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

constexpr const char* kPageKind = "headlight-figure-page";
constexpr std::size_t kMaxPageBytes = 4u << 20;

Error badPage(const std::string& message, const std::string& path) {
  return {ErrorCode::InvalidConfig, message, path};
}

[[noreturn]] void failPage(const std::string& message, const std::string& path) {
  throw Failure(badPage(message, path));
}

std::vector<std::string> styleNames() {
  std::vector<std::string> names;
  for (const MapStyleInfo& style : mapStyles())
    names.push_back(style.name);
  names.emplace_back("map");
  return names;
}

std::vector<std::string> colorMapNames() {
  std::vector<std::string> names;
  for (const ColorMapInfo& map : colorMaps())
    names.push_back(map.name);
  return names;
}

const ParameterTable& pageModelParameters() {
  using M = PageModel;
  static const ParameterTable table =
      TableBuilder<M>()
          .text(&M::name, "name",
                "A published name, a config, a folder of the hub or a checkpoint.")
          .text(&M::weights, "weights", "Its weights; empty: as the name says.")
          .text(&M::classNames, "class_names", "A file of class names; empty: the model's own.")
          .boolean(&M::partial, "partial", "Weights that are missing may stay random.")
          .build();
  return table;
}

TableBuilder<PageOptions>& addAsked(TableBuilder<PageOptions>& table) {
  using O = PageOptions;
  return table
      .text(&O::query, "query",
            "The token that looks: class, distillation, register1, a patch index, or row,column; "
            "empty: class, or the middle patch.")
      .text(&O::classText, "class",
            "Of ways of looking that ask about a class: its index or name; empty: the predicted "
            "one.")
      .choice(&O::fusion, "fusion", headFusionNames(), "Rollout: how heads are fused.")
      .number(&O::discard, "discard", 0, 0.999, "Rollout: share of the lowest entries dropped.");
}

TableBuilder<PageOptions>& addDrawn(TableBuilder<PageOptions>& table) {
  using O = PageOptions;
  return table
      .choice(&O::scale, "scale", {"own", "row", "column", "page"},
              "What shares a scale: nothing, a row or a column as it stands on the page, or all.")
      .choice(&O::style, "style", styleNames(),
              "How maps are drawn; map: colours alone, without the picture.")
      .choice(&O::colormap, "colormap", colorMapNames(), "Of an overlay and of a map alone.")
      .number(&O::dim, "dim", 0, 1, "How much light the dark of the headlight keeps back.")
      .number(&O::opacity, "opacity", 0, 1, "Of an overlay over the picture.")
      .boolean(&O::smooth, "smooth", "Blend between patches, or draw each as a block.");
}

TableBuilder<PageOptions>& addWords(TableBuilder<PageOptions>& table) {
  using O = PageOptions;
  return table
      .choice(&O::arrange, "arrange", {"rows", "columns"}, "Whether pictures are rows or columns.")
      .choice(&O::names, "names", {"prediction", "name", "both", "none"},
              "What stands beside a picture that has no label of its own.")
      .boolean(&O::headings, "headings", "Say above each column what it shows.")
      .boolean(&O::bars, "bars", "A colour bar with numbers for every scale.")
      .boolean(&O::caption, "caption", "Say below the page what is shown, and how it is scaled.")
      .text(&O::words, "words", "Own words in place of that caption.")
      .text(&O::title, "title", "Above the page; empty: nothing.");
}

TableBuilder<PageOptions>& addSizes(TableBuilder<PageOptions>& table) {
  using O = PageOptions;
  return table.number(&O::tile, "tile", 3, 300, "Width of a picture in millimetres.")
      .number(&O::gap, "gap", 0, 50, "Between pictures, in millimetres.")
      .number(&O::font, "font", 3, 72, "Size of letters in points.")
      .integer(&O::dpi, "dpi", 36, 1200, "Pixels an inch of its pictures, and of a PNG.");
}

std::string textOf(const Json& json, const std::string& path) {
  if (!json.is_string() || json.get<std::string>().empty()) failPage("must be a text", path);
  return json.get<std::string>();
}

/// `json` is a text, or an object with `key` and a label.
std::pair<std::string, std::string> labelledAt(const Json& json, const char* key,
                                               const std::string& path) {
  if (json.is_string()) return {textOf(json, path), ""};
  if (!json.is_object()) failPage(std::string("must be a text or an object with ") + key, path);
  for (const auto& [name, value] : json.items())
    if (name != key && name != "label")
      failPage(std::string("is not known; there are ") + key + " and label", path + "." + name);
  if (!json.contains(key)) failPage("is missing", path + "." + key);
  const std::string label =
      json.contains("label") ? textOf(json["label"], path + ".label") : std::string();
  return {textOf(json[key], path + "." + key), label};
}

const Json& pageListAt(const Json& json, const char* key, std::size_t most) {
  static const Json none = Json::array();
  if (!json.contains(key)) return none;
  if (!json[key].is_array() || json[key].size() > most)
    failPage("must be a list of at most " + std::to_string(most), key);
  return json[key];
}

std::vector<PagePicture> readPictures(const Json& json) {
  std::vector<PagePicture> pictures;
  for (const Json& item : pageListAt(json, "pictures", kMostPagePictures)) {
    const auto [path, label] =
        labelledAt(item, "path", "pictures[" + std::to_string(pictures.size()) + "]");
    pictures.push_back({path, label});
  }
  return pictures;
}

std::vector<PageColumn> readColumns(const Json& json) {
  std::vector<PageColumn> columns;
  for (const Json& item : pageListAt(json, "columns", kMostPageColumns)) {
    const std::string path = "columns[" + std::to_string(columns.size()) + "]";
    const auto [text, label] = labelledAt(item, "shows", path);
    const auto column = pageColumnFromText(text);
    if (!column) failPage(column.error().text(), path);
    columns.push_back(*column);
    if (!label.empty()) columns.back().label = label;
  }
  return columns;
}

FigurePage readPage(const Json& json) {
  if (!json.is_object() || !json.contains("kind") || json["kind"] != kPageKind)
    failPage(std::string("must be \"") + kPageKind + "\": this is no figure page", "kind");
  static const std::set<std::string> known{"kind",     "schema",  "model",
                                           "pictures", "columns", "options"};
  for (const auto& [name, value] : json.items())
    if (!known.contains(name))
      failPage("is not known; there are model, pictures, columns and options", name);
  if (json.contains("schema") && json["schema"] != FigurePage::kSchema)
    failPage("is " + json["schema"].dump() + ", and this program reads 1; update Headlight",
             "schema");
  FigurePage page;
  if (json.contains("model")) {
    valueOrThrow(
        readParameters(pageModelParameters(), json["model"], &page.model, "model", {"experiment"}));
    page.model.experiment = json["model"].value("experiment", Json());
    if (!page.model.experiment.is_null())
      valueOrThrow(experimentFromJson(page.model.experiment, modelCatalogue()));
  }
  page.pictures = readPictures(json);
  page.columns = readColumns(json);
  if (json.contains("options"))
    valueOrThrow(readParameters(pageParameters(), json["options"], &page.options, "options"));
  return page;
}

}  // namespace

const ParameterTable& pageParameters() {
  static const ParameterTable table = [] {
    TableBuilder<PageOptions> builder;
    return addAsked(addSizes(addWords(addDrawn(builder)))).build();
  }();
  return table;
}

Json pageToJson(const FigurePage& page) {
  Json json{{"kind", kPageKind}, {"schema", FigurePage::kSchema}};
  Json model = writeParameters(pageModelParameters(), &page.model);
  if (!page.model.experiment.is_null()) model["experiment"] = page.model.experiment;
  json["model"] = std::move(model);
  json["pictures"] = Json::array();
  for (const PagePicture& picture : page.pictures)
    json["pictures"].push_back(picture.label.empty()
                                   ? Json(picture.path)
                                   : Json{{"path", picture.path}, {"label", picture.label}});
  json["columns"] = Json::array();
  for (const PageColumn& column : page.columns)
    json["columns"].push_back(column.label.empty()
                                  ? Json(toText(column))
                                  : Json{{"shows", toText(column)}, {"label", column.label}});
  json["options"] = writeParameters(pageParameters(), &page.options);
  return json;
}

std::string pageToText(const FigurePage& page) {
  return pageToJson(page).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<FigurePage> pageFromJson(const Json& json) {
  return guarded("figure page", [&] { return readPage(json); });
}

Result<FigurePage> pageFromText(std::string_view text, const std::string& name) {
  const auto json = parseConfigJson(text, name, kMaxPageBytes);
  if (!json) return json.error();
  auto page = pageFromJson(*json);
  if (!page) return Error{page.error().code, page.error().text(), name};
  return page;
}

Result<FigurePage> readFigurePage(const std::filesystem::path& path) {
  const auto text = readFile(path, kMaxPageBytes);
  if (!text) return text.error();
  return pageFromText(*text, path.string());
}

}  // namespace headlight
