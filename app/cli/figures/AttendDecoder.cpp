// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/AttendDecoder.h"

#include <charconv>

#include "app/cli/options/Inputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/terminal/Command.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

void requireDecoder(const ModelInfo& info) {
  const ModelConfig& model = info.experiment.model;
  if (segmentsImages(model)) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("decoder: the model ") + (model.name.empty() ? model.backbone : model.name) +
                     tr(" has no decoder with queries; choose a segmenter"),
                 "--show"});
}

int decoderQueryFrom(const std::string& text) {
  int query = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), query);
  if (error == std::errc() && end == text.data() + text.size() && query >= 0) return query;
  refuseUsage("--query", tr("must be a query of the decoder, counted from 0; predict --segments "
                            "lists them with their classes"));
}

void requireBelow(const char* flag, int number, int count, const char* what) {
  if (number >= 0 && number < count) return;
  refuseUsage(flag, tr("must be from 0 to ") + std::to_string(count - 1) + tr(": there are ") +
                        std::to_string(count) + what);
}

Json decoderJson(const FoundSegments& found, int query, int layer,
                 const std::vector<float>& values) {
  const Grid& grid = found.decoder[static_cast<std::size_t>(layer)].grid;
  const SegmentQuery& asked = found.queries[static_cast<std::size_t>(query)];
  return {{"query", query},
          {"label", asked.name},
          {"index", asked.index},
          {"probability", asked.probability},
          {"layer", layer},
          {"title", decoderMapTitle(found, query, layer)},
          {"meaning", decoderMapMeaning(layer)},
          {"rows", grid.rows},
          {"cols", grid.cols},
          {"values", values}};
}

}  // namespace

AttendDecoder::AttendDecoder(DecoderRequest job, Terminal& terminal, std::stop_token stop)
    : m_job(std::move(job)), m_terminal(terminal), m_stop(std::move(stop)) {
  requireDecoder(m_job.session.info());
  m_query = decoderQueryFrom(m_job.query);
}

int AttendDecoder::layerOf(const FoundSegments& found) const {
  const int layer = m_job.layer.value_or(found.decoderLayers - 1);
  requireBelow("--query", m_query, static_cast<int>(found.queries.size()), tr(" queries"));
  requireBelow("--decoder-layer", layer, found.decoderLayers, tr(" layers of the decoder"));
  return layer;
}

void AttendDecoder::addImage(const fs::path& path, const Image& image) {
  InferenceOptions options;
  options.decoderQuery = m_query;
  InferenceResult inference =
      valueOrThrow(m_job.session.infer(image, m_job.masks, options, m_stop));
  if (holdsNaN(inference.maps)) throw Failure(noNumbers(m_job.session.info(), path.string()));
  inference.view =
      evaluationPixels(image, makePreprocessing(m_job.session.info().experiment.model));
  const FoundSegments& found = *inference.segments;
  const int layer = layerOf(found);
  const std::vector<float> values = decoderMap(found, m_query, layer);
  Json files = Json::array();
  if (!m_job.folder.empty()) files.push_back(draw(path, inference, layer, values));
  m_results.push_back({{"image", path.string()},
                       {"top", topJson(inference.top)},
                       {"decoder", decoderJson(found, m_query, layer, values)},
                       {"files", files}});
  keep(inference, found.decoder[static_cast<std::size_t>(layer)].grid, values);
}

std::string AttendDecoder::draw(const fs::path& path, const InferenceResult& inference, int layer,
                                const std::vector<float>& values) {
  const FoundSegments& found = *inference.segments;
  const Grid& grid = found.decoder[static_cast<std::size_t>(layer)].grid;
  const ImageStyle& style = m_job.style;
  const DrawnMap drawn = drawnMap(values, /*isSigned=*/false, style.style, style.colorMap);
  FigureGrid figure;
  figure.title = path.filename().string() + ": " + decoderMapTitle(found, m_query, layer);
  figure.footnote = found.queries[static_cast<std::size_t>(m_query)].name + ", " +
                    withNote(rangeText(drawn.range), drawn) + ". " + decoderMapMeaning(layer);
  if (m_job.masks.maskedHeads() > 0) figure.footnote += tr(" Masks: ") + schemeTitle(m_job.masks);
  figure.colorMap = drawn.colorMap;
  figure.colorBar = true;
  figure.range = drawn.range;
  figure.tiles.push_back({imageUnder(scaledView(inference, style.single), values, grid.rows,
                                     grid.cols, drawn, style, style.smooth),
                          ""});
  const fs::path file = fs::path(m_job.folder) / (unusedStem(m_stems, path) + "-decoder.png");
  valueOrThrow(writeFileAtomically(
      file, valueOrThrow(encodePng(composeFigure(figure), {{"Software", "Headlight"}}))));
  if (!m_terminal.json()) m_terminal.print(file.string());
  return file.string();
}

void AttendDecoder::keep(const InferenceResult& inference, const Grid& grid,
                         const std::vector<float>& values) {
  if (!m_job.keepArrays) return;
  m_inferences.emplace_back().logits = inference.logits;
  if (m_array.shape.empty()) m_array = {kDecoder, {0, grid.rows, grid.cols}, {}};
  ++m_array.shape.front();
  m_array.values.insert(m_array.values.end(), values.begin(), values.end());
}

std::vector<RawArray> AttendDecoder::arrays() const {
  return m_array.shape.empty() ? std::vector<RawArray>() : std::vector<RawArray>{m_array};
}

}  // namespace headlight::cli
