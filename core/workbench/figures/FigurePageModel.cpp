// SPDX-License-Identifier: GPL-3.0-or-later

// FigurePage.h: the model of a page, and what it can be asked.

#include <algorithm>
#include <set>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/figures/FigurePage.h"
#include "core/workbench/loading/MapFile.h"

namespace headlight {
namespace {

using OpenedSession = Result<std::unique_ptr<InferenceSession>>;

/// As the experiment says, with the weights' own class names where they carry the same model.
OpenedSession openDescribed(const Experiment& experiment, const PageModel& model) {
  if (model.weights.empty()) return InferenceSession::create(experiment);
  ModelSource source;
  source.weights = model.weights;
  source.prompts = model.prompts;
  source.device = experiment.device;
  source.partial = model.partial;
  auto opened = InferenceSession::open(source);
  if (opened && sameModel((*opened)->info().experiment.model, experiment.model)) return opened;
  auto created = InferenceSession::create(experiment);
  if (!created) return created;
  const auto loaded = (*created)->loadWeights(model.weights, model.partial);
  if (!loaded) return loaded.error();
  return created;
}

/// The one file of maps that all images are of.
Result<std::string> mapsOfImages(const FigurePage& page) {
  std::set<std::string> files;
  for (const PageImage& image : page.images)
    if (const auto place = parseMapPlace(image.path)) files.insert(place->file.string());
  if (files.size() == 1) return *files.begin();
  return Error{
      ErrorCode::InvalidConfig,
      files.empty()
          ? tr("has no model; give a model or weights")
          : tr("has no model, and its images come from several map files; make one page per file"),
      "model"};
}

Error badColumnAt(std::size_t index, const PageColumn& column, ErrorCode code,
                  const std::string& message) {
  return {code, message, "columns[" + std::to_string(index) + "], " + toText(column)};
}

std::string checkPlace(const PageColumn& column, const ModelInfo& info) {
  const int layers = static_cast<int>(info.heads.size());
  if (layers == 0) return column.isAttention() ? "the model has no attention" : "";
  if (column.layer >= layers)
    return "the model has no layer " + std::to_string(column.layer) + "; its layers are 0 to " +
           std::to_string(layers - 1);
  if (column.head < 0) return "";
  const int heads = info.heads[static_cast<std::size_t>(column.layer)];
  if (column.head < heads) return "";
  return "layer " + std::to_string(column.layer) + " has no head " + std::to_string(column.head) +
         "; its heads are 0 to " + std::to_string(heads - 1);
}

/// Empty where the model finds what the column shows.
std::string checkFound(const PageColumn& column, const ModelInfo& info) {
  const ModelConfig& model = info.experiment.model;
  if (column.shows == "boxes" && (info.isPrecomputed || !detectsObjects(model)))
    return tr("needs a detector (YOLOS, LCNet-ViT): this model finds no boxes");
  if (column.shows == "segments" && (info.isPrecomputed || !segmentsImages(model)))
    return tr("needs a segmenter: this model gives pixels no classes");
  return "";
}

Result<void> checkColumn(const PageOptions& options, const PageColumn& column, std::size_t index,
                         const ModelInfo& info) {
  const auto refuse = [&](const std::string& message) {
    return badColumnAt(index, column, ErrorCode::InvalidArgument, message);
  };
  if (const std::string wrong = checkPlace(column, info); !wrong.empty()) return refuse(wrong);
  const ExplanationInfo* method = explanationFromName(column.shows);
  if (const std::string wrong = checkFound(column, info); !wrong.empty()) return refuse(wrong);
  if (method && info.isPrecomputed)
    return refuse(
        tr("needs a model: a map file has only attention; show image, head, layer or rollout"));
  if (method && method->ofClass) {
    if (info.experiment.model.classes == 0)
      return refuse(tr("explains a class, but this model has no classifier; choose one of ") +
                    explanationNames([](const ExplanationInfo& one) { return !one.ofClass; }));
    const std::string& text = column.classText.empty() ? options.classText : column.classText;
    if (const auto found = classFromText(text.empty() ? "0" : text, info); !found)
      return refuse(found.error().text());
  }
  const auto token = tokenFromText(column.query.empty() ? options.query : column.query, info.grid);
  const bool inferences = column.isAttention() || (method && method->ofToken);
  return !inferences || token ? Result<void>() : refuse(token.error().text());
}

}  // namespace

namespace {

/// The image, and what is found in it.
std::vector<PageColumn> withoutAttention(const ModelInfo& info) {
  PageColumn boxes;
  boxes.shows = "boxes";
  if (!detectsObjects(info.experiment.model)) return {PageColumn{}};
  return {PageColumn{}, boxes};
}

}  // namespace

std::vector<PageColumn> usefulColumns(const ModelInfo& info, int layer, int head) {
  if (info.heads.empty()) return withoutAttention(info);
  PageColumn chosen, rolled, explained;
  chosen.shows = head < 0 ? "layer" : "head";
  chosen.layer = layer;
  chosen.head = head;
  rolled.shows = "rollout";
  explained.shows = explanationMethods().front().name;
  std::vector<PageColumn> columns{PageColumn{}, chosen, rolled};
  if (!info.isPrecomputed && info.experiment.model.classes > 0) columns.push_back(explained);
  return columns;
}

Result<void> checkPage(const FigurePage& page, const ModelInfo& info) {
  if (page.images.empty())
    return Error{ErrorCode::InvalidArgument, tr("a page needs at least one image"), "images"};
  if (page.columns.empty())
    return Error{ErrorCode::InvalidArgument,
                 tr("a page needs at least one column: ") + std::string("image, head 3.1, rollout"),
                 "columns"};
  if (page.images.size() > kMostPageImages || page.columns.size() > kMostPageColumns)
    return Error{ErrorCode::InvalidArgument,
                 tr("a page has at most ") + std::to_string(kMostPageImages) + tr(" images and ") +
                     std::to_string(kMostPageColumns) + tr(" columns; make several pages"),
                 "page"};
  for (std::size_t i = 0; i < page.columns.size(); ++i)
    if (auto fine = checkColumn(page.options, page.columns[i], i, info); !fine) return fine;
  return {};
}

Result<std::unique_ptr<InferenceSession>> openPageModel(const FigurePage& page) {
  return guarded("figure page", [&]() -> OpenedSession {
    const PageModel& model = page.model;
    if (!model.experiment.is_null())
      return openDescribed(valueOrThrow(experimentFromJson(model.experiment, modelCatalog())),
                           model);
    ModelSource source;
    source.model = model.name;
    source.weights = model.weights;
    source.classNames = model.classNames;
    source.prompts = model.prompts;
    source.partial = model.partial;
    if (model.name.empty() && model.weights.empty())
      source.weights = valueOrThrow(mapsOfImages(page));
    return InferenceSession::open(source);
  });
}

Result<MaskScheme> masksOfPage(const FigurePage& page, const ModelInfo& info) {
  return guarded("masks", [&] {
    const MaskShape shape = makeMaskShape(info.experiment.model);
    if (page.model.experiment.is_null())
      return valueOrThrow(resolveMasks(info.experiment.masks, shape));
    const Experiment own = valueOrThrow(experimentFromJson(page.model.experiment, modelCatalog()));
    return valueOrThrow(resolveMasks(own.masks, shape));
  });
}

}  // namespace headlight
