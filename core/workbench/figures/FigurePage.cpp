// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/FigurePage.h"

#include <set>

#include "core/analysis/Rollout.h"
#include "core/base/Translation.h"
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
          .text(&M::name, "name", "A published name, a config, a hub folder or a checkpoint.")
          .text(&M::weights, "weights", "Weights of the model; empty: as named by model.")
          .text(&M::classNames, "class_names", "A file of class names; empty: the model's own.")
          .boolean(&M::partial, "partial", "Accept missing weights, which stay random.")
          .build();
  return table;
}

TableBuilder<PageOptions>& addAsked(TableBuilder<PageOptions>& table) {
  using O = PageOptions;
  return table
      .text(&O::query, "query",
            "Query token: class, distillation, register1, a patch index, or row,column; empty: "
            "class, or the middle patch.")
      .text(&O::classText, "class",
            "Class index or name, for explanations of a class; empty: the predicted class.")
      .choice(&O::fusion, "fusion", headFusionNames(), "Rollout: how to fuse heads.")
      .number(&O::discard, "discard", 0, 0.999, "Rollout: share of the lowest entries to drop.")
      .number(&O::threshold, "threshold", 0, 1, "Boxes: lowest score of those that are drawn.");
}

TableBuilder<PageOptions>& addDrawn(TableBuilder<PageOptions>& table) {
  using O = PageOptions;
  return table
      .choice(&O::scale, "scale", {"own", "row", "column", "page"},
              "Shared scale: none, per row or per column of the page, or all.")
      .choice(&O::style, "style", styleNames(), "Map style; map: only colors, without the image.")
      .choice(&O::colormap, "colormap", colorMapNames(), "Color map of overlays and maps.")
      .formerChoice("grey", "gray")
      .number(&O::dim, "dim", 0, 1, "Dimming of dark areas in the headlight style.")
      .number(&O::opacity, "opacity", 0, 1, "Opacity of overlays.")
      .boolean(&O::smooth, "smooth", "Interpolate between patches, or draw each patch as a block.")
      .boolean(&O::maskOutline, "mask_outline",
               "Outline what the mask of a head lets the query look at.");
}

TableBuilder<PageOptions>& addWords(TableBuilder<PageOptions>& table) {
  using O = PageOptions;
  return table
      .choice(&O::arrange, "arrange", {"rows", "columns"},
              "Arrangement of the images: rows or columns.")
      .choice(&O::names, "names", {"prediction", "name", "both", "none"},
              "Label of images without their own label.")
      .boolean(&O::headings, "headings", "Show a title above each column.")
      .boolean(&O::bars, "bars",
               "Show a color bar with numbers for every scale, and a key of classes.")
      .boolean(&O::caption, "caption",
               "Show a caption below the page with the content and the scaling.")
      .text(&O::words, "words", "Custom text instead of that caption.")
      .text(&O::title, "title", "Title above the page; empty: none.");
}

TableBuilder<PageOptions>& addSizes(TableBuilder<PageOptions>& table) {
  using O = PageOptions;
  return table.number(&O::tile, "tile", 3, 300, "Image width in millimeters.")
      .number(&O::gap, "gap", 0, 50, "Gap between images in millimeters.")
      .number(&O::font, "font", 3, 72, "Font size in points.")
      .integer(&O::dpi, "dpi", 36, 1200,
               "Resolution of embedded images and of PNG files, in pixels per inch.");
}

std::string textOf(const Json& json, const std::string& path) {
  if (!json.is_string() || json.get<std::string>().empty()) failPage(tr("must be a string"), path);
  return json.get<std::string>();
}

/// `json` is a text, or an object with `key` and a label.
std::pair<std::string, std::string> labeledAt(const Json& json, const char* key,
                                              const std::string& path) {
  if (json.is_string()) return {textOf(json, path), ""};
  if (!json.is_object())
    failPage(std::string(tr("must be a string or an object with ")) + key, path);
  for (const auto& [name, value] : json.items())
    if (name != key && name != "label")
      failPage(std::string(tr("is not a known key; choose one of ")) + key + tr(" and label"),
               path + "." + name);
  if (!json.contains(key)) failPage(tr("is missing"), path + "." + key);
  const std::string label =
      json.contains("label") ? textOf(json["label"], path + ".label") : std::string();
  return {textOf(json[key], path + "." + key), label};
}

const Json& pageListAt(const Json& json, const char* key, std::size_t most) {
  static const Json none = Json::array();
  if (!json.contains(key)) return none;
  if (!json[key].is_array() || json[key].size() > most)
    failPage(tr("must be a list of at most ") + std::to_string(most), key);
  return json[key];
}

/// The list of images, which was called "pictures" before.
std::vector<PageImage> readImages(const Json& json) {
  const bool former = json.contains("pictures");
  if (former && json.contains("images"))
    failPage(tr("is the former name of \"images\", which is given too; leave one out"), "pictures");
  std::vector<PageImage> images;
  for (const Json& item : pageListAt(json, former ? "pictures" : "images", kMostPageImages)) {
    const auto [path, label] =
        labeledAt(item, "path", "images[" + std::to_string(images.size()) + "]");
    images.push_back({path, label});
  }
  return images;
}

std::vector<PageColumn> readColumns(const Json& json) {
  std::vector<PageColumn> columns;
  for (const Json& item : pageListAt(json, "columns", kMostPageColumns)) {
    const std::string path = "columns[" + std::to_string(columns.size()) + "]";
    const auto [text, label] = labeledAt(item, "shows", path);
    const auto column = pageColumnFromText(text);
    if (!column) failPage(column.error().text(), path);
    columns.push_back(*column);
    if (!label.empty()) columns.back().label = label;
  }
  return columns;
}

FigurePage readPage(const Json& json) {
  if (!json.is_object() || !json.contains("kind") || json["kind"] != kPageKind)
    failPage(std::string(tr("must be \"")) + kPageKind + tr("\": this is not a figure page"),
             "kind");
  static const std::set<std::string> known{"kind",     "schema",  "model",  "images",
                                           "pictures", "columns", "options"};
  for (const auto& [name, value] : json.items())
    if (!known.contains(name))
      failPage(tr("is not a known key; choose one of model, images, columns and options"), name);
  if (json.contains("schema") && json["schema"] != FigurePage::kSchema)
    failPage(
        "is " + json["schema"].dump() + tr(", but this program reads version 1; update Headlight"),
        "schema");
  FigurePage page;
  if (json.contains("model")) {
    valueOrThrow(readParameters(pageModelParameters(), json["model"], &page.model, "model",
                                {"experiment", "prompts"}));
    page.model.experiment = json["model"].value("experiment", Json());
    page.model.prompts = promptsFromJson(json["model"].value("prompts", Json()), "model.prompts");
    if (!page.model.experiment.is_null())
      valueOrThrow(experimentFromJson(page.model.experiment, modelCatalog()));
  }
  page.images = readImages(json);
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
  if (!page.model.prompts.empty()) model["prompts"] = promptsToJson(page.model.prompts);
  json["model"] = std::move(model);
  json["images"] = Json::array();
  for (const PageImage& image : page.images)
    json["images"].push_back(image.label.empty()
                                 ? Json(image.path)
                                 : Json{{"path", image.path}, {"label", image.label}});
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
