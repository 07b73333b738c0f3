// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/AttendExplanations.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "app/cli/figures/ExplanationHeatmaps.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/reports/StudyText.h"
#include "app/cli/terminal/Command.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/attribution/ExplanationImages.h"
#include "core/workbench/session/Images.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

Json curveJson(const Faithfulness& of) {
  return {{"method", of.title},
          {"shares", of.shares},
          {"deletion", {{"area", of.deletion.area}, {"probability", of.deletion.probability}}},
          {"insertion", {{"area", of.insertion.area}, {"probability", of.insertion.probability}}}};
}

std::string areasText(const Faithfulness& of) {
  char text[96];
  std::snprintf(text, sizeof text, "  deletion %.4f  insertion %.4f  ", of.deletion.area,
                of.insertion.area);
  return text + of.title;
}

std::string shareText(float share) {
  char text[24];
  std::snprintf(text, sizeof text, " %.1f %%", 100 * share);
  return text;
}

Json boxJson(const FoundObject& box, int number) {
  return {{"number", number},
          {"cell", box.cell},
          {"label", box.name},
          {"index", box.index},
          {"score", box.score}};
}

Image scaled(const Image& view, int width) {
  const int height = std::max(1, width * view.height / std::max(1, view.width));
  return resize(view, width, height, Interpolation::Bicubic);
}

}  // namespace

void AttendExplanations::addImage(const fs::path& path, const Image& image) {
  Subject subject{path.filename().string(), path, rawImage(m_job.session.info(), image), {}};
  subject.width = image.width;
  subject.height = image.height;
  subject.inference =
      valueOrThrow(m_job.session.infer(image, m_job.masks, {.maps = false}, m_stop));
  subject.inference.view =
      evaluationPixels(image, makePreprocessing(m_job.session.info().experiment.model));
  add(std::move(subject));
}

void AttendExplanations::addNumbers(const std::string& name, const RawImages& image) {
  Subject subject{name, {}, image, {}};
  auto inferences = valueOrThrow(inferRaw(m_job.session, image, m_job.masks, false, m_stop));
  subject.inference.logits = std::move(inferences.front().logits);
  subject.inference.objects = std::move(inferences.front().objects);
  if (!subject.inference.logits.empty())
    subject.inference.top = rankClasses(subject.inference.logits, m_job.session.info().classNames,
                                        5, hasSigmoidScores(m_job.session.info().experiment.model));
  add(std::move(subject));
}

void AttendExplanations::add(Subject subject) {
  if (m_stop.stop_requested())
    throw Failure({ErrorCode::Canceled, tr("stopped; images that were written stay"), ""});
  Json files = Json::array();
  Json result{{"image", subject.path.empty() ? subject.name : subject.path.string()},
              {"top", topJson(subject.inference.top)}};
  explain(subject, result, files);
  result["files"] = files;
  m_results.push_back(std::move(result));
  if (m_job.keepArrays) m_inferences.emplace_back().logits = subject.inference.logits;
  if (!m_features.empty()) {
    subject.image = {};
    m_subjects.push_back(std::move(subject));
  }
}

void AttendExplanations::explain(const Subject& subject, Json& result, Json& files) {
  if (m_job.show == kFaithfulness) {
    result["faithfulness"] = measureFaithfulness(subject, files);
    return;
  }
  switch (findInfo(m_job.show).kind) {
    case ExplanationKind::Heatmap:
      result["heat"] = heatmap(subject, files);
      break;
    case ExplanationKind::Colors:
      m_features.push_back(valueOrThrow(
          tokenFeatures(m_job.session, subject.image, m_job.masks, m_job.options.layer, m_stop)));
      break;
    case ExplanationKind::Curve:
      result["depth"] = curve(subject, files);
      break;
  }
}

Heatmap AttendExplanations::computeHeatmap(const Subject& subject) {
  ExplanationOptions options = m_job.options;
  if (m_job.box >= 0) options.cell = boxOf(subject).cell;
  return explanationHeatmap({m_job.session, subject.image, m_job.masks, m_job.query},
                            findInfo(m_job.show), options, m_stop);
}

const FoundObject& AttendExplanations::boxOf(const Subject& subject) const {
  const auto& objects = subject.inference.objects;
  const auto box = static_cast<std::size_t>(m_job.box);
  if (box < objects.size()) return objects[box];
  refuseUsage("--box", objects.empty()
                           ? subject.name + tr(": the model found no box")
                           : subject.name + tr(": must be from 0 to ") +
                                 std::to_string(objects.size() - 1) + tr(": there are ") +
                                 std::to_string(objects.size()) + tr(" boxes"));
}

Json AttendExplanations::heatmap(const Subject& subject, Json& files) {
  const Heatmap heatmap = computeHeatmap(subject);
  keep(m_job.show, {heatmap.grid.patches()}, heatmap.values);
  if (!m_job.folder.empty() && !subject.path.empty()) drawHeatmap(subject, heatmap, files);
  Json json = heatmapJson(heatmap);
  if (m_job.box >= 0) json["box"] = boxJson(boxOf(subject), m_job.box);
  if (!heatmap.box || subject.path.empty()) return json;
  if (const Marked marked = markedObject(subject, *heatmap.box); !marked.match.empty())
    json.update({{"iou", marked.overlap}, {"match", marked.match}});
  return json;
}

AttendExplanations::Marked AttendExplanations::markedObject(const Subject& subject,
                                                            const BoxSides& box) const {
  const BoxSides pixels =
      pixelSides(box, subject.width, subject.height, m_job.session.info().experiment.model);
  const auto truth = m_job.truths ? m_job.truths->of(subject.path.string()) : nullptr;
  if (!truth) return {foundBoxText(pixels), {}, 0};
  const TrueBoxMatch match = bestTrueBox(pixels, truth->boxes);
  return {foundBoxText(pixels), matchText(match, truth->boxes, truth->classNames), match.overlap};
}

void AttendExplanations::drawHeatmap(const Subject& subject, const Heatmap& heatmap, Json& files) {
  const ImageStyle& style = m_job.style;
  const DrawnMap drawn = drawnMap(heatmap.values, heatmap.isSigned, style.style, style.colorMap);
  FigureGrid figure;
  figure.title = subject.name + ": " + findInfo(heatmap.method).title;
  figure.footnote = heatmapTitle(heatmap) + ", " + withNote(rangeText(drawn.range), drawn);
  if (heatmap.box) {
    const Marked marked = markedObject(subject, *heatmap.box);
    figure.footnote += "; " + marked.box;
    if (!marked.match.empty()) figure.footnote += "; " + marked.match;
  }
  if (m_job.masks.maskedHeads() > 0) figure.footnote += tr("; masks: ") + schemeTitle(m_job.masks);
  if (!subject.inference.top.empty())
    figure.footnote += tr("; predicted: ") + subject.inference.top.front().name +
                       shareText(subject.inference.top.front().probability);
  figure.footnote += ". " + heatmapMeaning(heatmap);
  figure.colorMap = drawn.colorMap;
  figure.colorBar = true;
  figure.range = drawn.range;
  const Image tile =
      imageUnder(scaled(subject.inference.view, style.single), heatmap.values, heatmap.grid.rows,
                 heatmap.grid.cols, drawn, style, style.smooth && !heatmap.box);
  figure.tiles.push_back({heatmap.box ? withObjectBox(tile, *heatmap.box) : tile, ""});
  save(subject, m_job.show, composeFigure(figure), files);
}

Json AttendExplanations::curve(const Subject& subject, Json& files) {
  const ModelInfo& info = m_job.session.info();
  const DepthPrediction depth = valueOrThrow(
      explanationCurve(m_job.session, subject.image, m_job.masks, m_job.show, 5, m_stop));
  const auto classes = static_cast<std::size_t>(info.experiment.model.classes);
  std::vector<float> values;
  Json layers = Json::array();
  for (std::size_t l = 0; l < depth.probabilities.size(); ++l) {
    std::vector<float> row = depth.probabilities[l];
    row.resize(classes, std::numeric_limits<float>::quiet_NaN());
    values.insert(values.end(), row.begin(), row.end());
    layers.push_back(topJson(depth.top[l]));
    if (!m_terminal.json() && !depth.top[l].empty())
      m_terminal.print(subject.name + "  layer " + std::to_string(l) + "  " +
                       depth.top[l].front().name + shareText(depth.top[l].front().probability));
  }
  if (!depth.note.empty()) m_terminal.note(subject.name + ": " + depth.note);
  keep("depth", {static_cast<std::int64_t>(depth.top.size()), info.experiment.model.classes},
       values);
  if (!m_job.folder.empty() && !subject.path.empty())
    save(subject, m_job.show, renderPixels(depthPlot(depth, info, m_job.options.classIndex), 2),
         files);
  return {{"layers", layers}, {"note", depth.note}};
}

/// How far all images are.
ProgressCallback AttendExplanations::judging() {
  const auto before = static_cast<std::int64_t>(m_results.size());
  return [this, before](const Progress& now) {
    const std::int64_t done = before * now.total + now.done, total = m_job.images * now.total;
    m_bar.show({now.stage, done, total, m_remaining.secondsRemaining(done, total)});
  };
}

Json AttendExplanations::measureFaithfulness(const Subject& subject, Json& files) {
  const StudiedHeatmaps asked = valueOrThrow(heatmapsToStudy(
      m_job.session, subject.image, m_job.masks, {m_job.options, m_job.rollout, {}}, m_stop));
  for (const std::string& left : asked.left)
    m_terminal.warning(subject.name + tr(": left out: ") + left);
  const auto table = valueOrThrow(
      faithfulness(m_job.session, subject.image, m_job.masks, asked.heatmaps,
                   {.classIndex = asked.classIndex, .seed = m_results.size()}, judging(), m_stop));
  m_terminal.setStatus("");
  m_study.add(table);
  Json methods = Json::array();
  std::vector<float> areas;
  auto all = table.methods;
  all.push_back(table.random);
  if (!m_terminal.json()) m_terminal.print(subject.name + ": " + table.className);
  for (const Faithfulness& one : all) {
    methods.push_back(curveJson(one));
    areas.push_back(static_cast<float>(one.deletion.area));
    areas.push_back(static_cast<float>(one.insertion.area));
    if (!m_terminal.json()) m_terminal.print(areasText(one));
  }
  keep(m_job.show, {static_cast<std::int64_t>(all.size()), 2}, areas);
  if (!m_job.folder.empty() && !subject.path.empty()) {
    const fs::path file = fs::path(m_job.folder) / (makeStem(subject) + "-faithfulness.csv");
    valueOrThrow(writeFileAtomically(file, faithfulnessCsv(table)));
    files.push_back(file.string());
    if (!m_terminal.json()) m_terminal.print(file.string());
  }
  return {{"class", table.classIndex}, {"name", table.className}, {"methods", methods}};
}

/// What several images have in common.
void AttendExplanations::finishFaithfulness() {
  const auto methods = m_study.means();
  m_summary = studyJson(methods);
  if (m_results.size() < 2) return;
  if (!m_terminal.json()) {
    m_terminal.print(tr("mean of ") + std::to_string(m_results.size()) + tr(" images"));
    printStudy(methods, m_terminal);
  }
  if (m_job.folder.empty()) return;
  const fs::path file = fs::path(m_job.folder) / "faithfulness.csv";
  valueOrThrow(writeFileAtomically(file, studyCsv(methods)));
  if (!m_terminal.json()) m_terminal.print(file.string());
}

void AttendExplanations::finish() {
  if (m_job.show == kFaithfulness && !m_results.empty()) finishFaithfulness();
  if (m_features.empty()) return;
  const FeatureColors colors =
      valueOrThrow(explanationColors(m_job.show, m_features, m_job.foreground, m_stop));
  for (std::size_t i = 0; i < m_features.size(); ++i) {
    const TokenFeatures& features = m_features[i];
    keep("features", {features.grid.tokens(), features.width}, features.values);
    keep("colors", {features.grid.patches(), 3}, colors.images[i].colors);
    m_results[i]["colors"] = {{"rows", features.grid.rows},
                              {"cols", features.grid.cols},
                              {"note", colors.note},
                              {"variance", colors.shares}};
  }
  if (!m_job.folder.empty()) drawColors(colors);
}

void AttendExplanations::drawColors(const FeatureColors& colors) {
  for (std::size_t i = 0; i < m_subjects.size(); ++i) {
    const Subject& subject = m_subjects[i];
    if (subject.path.empty()) continue;
    const Image view = scaled(subject.inference.view, m_job.style.single);
    FigureGrid figure;
    figure.title = subject.name + ": " + findInfo(m_job.show).title;
    figure.footnote =
        colors.note + "; " + varianceText(colors) + ". " + explanationMeaning(m_job.show);
    figure.columns = 2;
    figure.tiles = {
        {view, ""},
        {featuresImage(colors.images[i], view.width, view.height, m_job.style.smooth), ""}};
    save(subject, m_job.show, composeFigure(figure), m_results[i]["files"]);
  }
}

std::string AttendExplanations::makeStem(const Subject& subject) {
  return unusedStem(m_stems, subject.path);
}

void AttendExplanations::save(const Subject& subject, const std::string& suffix, const Image& image,
                              Json& files) {
  const fs::path file = fs::path(m_job.folder) / (makeStem(subject) + "-" + suffix + ".png");
  valueOrThrow(
      writeFileAtomically(file, valueOrThrow(encodePng(image, {{"Software", "Headlight"}}))));
  files.push_back(file.string());
  if (!m_terminal.json()) m_terminal.print(file.string());
}

void AttendExplanations::keep(const std::string& name, std::vector<std::int64_t> shape,
                              const std::vector<float>& values) {
  if (!m_job.keepArrays) return;
  auto found = std::find_if(m_arrays.begin(), m_arrays.end(),
                            [&](const RawArray& array) { return array.name == name; });
  if (found == m_arrays.end()) {
    shape.insert(shape.begin(), 0);
    m_arrays.push_back({name, shape, {}});
    found = m_arrays.end() - 1;
  }
  ++found->shape.front();
  found->values.insert(found->values.end(), values.begin(), values.end());
}

std::vector<RawArray> AttendExplanations::arrays() const {
  return m_arrays;
}

}  // namespace headlight::cli
