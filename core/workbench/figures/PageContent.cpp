// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/PageContent.h"

#include <algorithm>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/figures/PageTiles.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/loading/WeightsName.h"
#include "core/workbench/session/Images.h"

namespace headlight {
namespace {

using TilePointer = std::shared_ptr<const PageTile>;

/// One page being evaluated: each image once, whatever its columns need of it.
class PageEvaluator {
 public:
  PageEvaluator(InferenceSession& session, const MaskScheme& masks, const FigurePage& page,
                const PageEvaluationOptions& looking)
      : m_session(session), m_masks(masks), m_page(page), m_looking(looking) {
    constexpr std::size_t kMostKnown = 20'000;
    if (looking.before && looking.before->known.size() < kMostKnown)
      m_result.known = looking.before->known;
    m_steps = static_cast<std::int64_t>(page.images.size() * (page.columns.size() + 1));
  }

  PageContent inference() {
    valueOrThrow(checkPage(m_page, info()));
    for (const PageImage& image : m_page.images)
      addRow(image.path);
    for (std::size_t c = 0; c < m_page.columns.size(); ++c)
      if (m_page.columns[c].isColors()) addColors(c);
    for (PageRow& row : m_result.rows)
      addMatches(row);
    m_result.model = modelWords();
    const bool attention = std::any_of(
        m_page.columns.begin(), m_page.columns.end(),
        [](const PageColumn& column) { return column.isAttention() || column.shows == "rollout"; });
    if (attention) m_result.meaning = info().mapMeaning;
    return std::move(m_result);
  }

 private:
  const ModelInfo& info() const { return m_session.info(); }
  Preprocessing preprocessing() const { return makePreprocessing(info().experiment.model); }

  void step(const std::string& stage) {
    if (m_looking.stop.stop_requested())
      throw Failure({ErrorCode::Canceled, tr("stopped; nothing was written"), "figure page"});
    const std::int64_t done = m_done++;
    if (m_looking.progress)
      m_looking.progress({stage, done, m_steps, m_remaining.secondsRemaining(done, m_steps)});
  }

  void addRow(const std::string& path) {
    PageRow& row = m_result.rows.emplace_back();
    row.path = path;
    row.name = std::filesystem::path(path).filename().string();
    step(row.name);
    m_image = {};
    m_raw = {};
    m_maps.reset();
    if (!takeKnown(row)) readRow(row);
    for (std::size_t c = 0; c < m_page.columns.size(); ++c) {
      step(row.name);
      row.tiles.push_back(tile(row, m_page.columns[c], c));
    }
  }

  const Image& image(const std::string& path) {
    if (m_image.empty()) m_image = info().isPrecomputed ? m_session.imageAt(path) : Image{};
    if (m_image.empty()) m_image = valueOrThrow(m_looking.read(path));
    return m_image;
  }

  void readRow(PageRow& row) {
    const bool maps =
        std::any_of(m_page.columns.begin(), m_page.columns.end(),
                    [](const PageColumn& c) { return c.isAttention() || c.shows == "rollout"; });
    InferenceResult inference =
        valueOrThrow(m_session.infer(image(row.path), m_masks, {.maps = maps}, m_looking.stop));
    row.view = info().isPrecomputed ? std::move(inference.view)
                                    : evaluationPixels(image(row.path), preprocessing());
    row.width = image(row.path).width;
    row.height = image(row.path).height;
    row.top = std::move(inference.top);
    if (maps) m_maps = std::move(inference.maps);
  }

  bool takeKnown(PageRow& row) const {
    if (!m_looking.before) return false;
    for (const PageRow& known : m_looking.before->rows)
      if (known.path == row.path) {
        row.view = known.view;
        row.width = known.width;
        row.height = known.height;
        row.top = known.top;
        return true;
      }
    return false;
  }

  const AttentionMaps& maps(const std::string& path) {
    if (!m_maps)
      m_maps = valueOrThrow(m_session.infer(image(path), m_masks, {}, m_looking.stop)).maps;
    return *m_maps;
  }

  InferenceResult found(const std::string& path) {
    return valueOrThrow(m_session.infer(image(path), m_masks, {.maps = false}, m_looking.stop));
  }

  const RawImages& raw(const std::string& path) {
    if (m_raw.values.empty()) m_raw = rawImage(info(), image(path));
    return m_raw;
  }

  /// What makes two tiles the same.
  std::string keyOf(const std::string& path, const PageColumn& column) const {
    const PageOptions& options = m_page.options;
    std::string key =
        path + "\n" + toText(column) + "\n" + options.query + "\n" + options.classText;
    if (column.shows == "rollout")
      key.append("\n").append(options.fusion).append(numberText(options.discard));
    if (column.shows == "boxes") key.append("\n").append(numberText(options.threshold));
    return key;
  }

  /// For colors nothing yet: they are found of all images together.
  TilePointer tile(const PageRow& row, const PageColumn& column, std::size_t index) {
    if (column.isColors()) return keepFeatures(row, column);
    const std::string key = keyOf(row.path, column);
    TilePointer& kept = m_result.known[key];
    if (!kept) kept = std::make_shared<const PageTile>(make(row, column, index));
    return kept;
  }

  PageTile make(const PageRow& row, const PageColumn& column, std::size_t index) {
    const PageContext asking{m_session, m_masks, m_page, m_looking.stop};
    if (column.shows == "image") return imageTile();
    if (column.isAttention()) return attentionTile(asking, maps(row.path), column, index);
    if (column.shows == "rollout") return rolloutTile(asking, maps(row.path));
    if (column.isFound()) return foundTile(asking, found(row.path), column);
    return explanationTile(asking, raw(row.path), column, index);
  }

  std::string colorsKey(const PageColumn& column) const {
    std::string all;
    for (const PageImage& image : m_page.images)
      all.append(image.path).append("\n");
    return keyOf(all, column);
  }

  TilePointer keepFeatures(const PageRow& row, const PageColumn& column) {
    const std::string key = colorsKey(column);
    if (m_result.known.contains(row.path + "\n" + key)) return nullptr;
    std::vector<TokenFeatures>& features = m_features[key];
    if (features.size() < m_result.rows.size())  // another column may have asked the same
      features.push_back(valueOrThrow(
          tokenFeatures(m_session, raw(row.path), m_masks, column.layer, m_looking.stop)));
    return nullptr;
  }

  void addColors(std::size_t index) {
    const PageColumn& column = m_page.columns[index];
    const std::string key = colorsKey(column);
    std::optional<FeatureColors> colors;
    if (const auto features = m_features.find(key); features != m_features.end())
      colors = valueOrThrow(
          explanationColors(column.shows, features->second, column.foreground, m_looking.stop));
    for (std::size_t r = 0; r < m_result.rows.size(); ++r) {
      PageRow& row = m_result.rows[r];
      TilePointer& kept = m_result.known[row.path + "\n" + key];
      if (!kept) kept = std::make_shared<const PageTile>(colorsTile(column, *colors, r));
      row.tiles[index] = kept;
    }
  }

  /// Each time: true boxes may be known by now that were not when a tile was computed.
  void addMatches(PageRow& row) const {
    row.matches.resize(row.tiles.size());
    const bool marked = std::any_of(row.tiles.begin(), row.tiles.end(),
                                    [](const TilePointer& tile) { return tile->box.has_value(); });
    const auto truth = marked && m_looking.truth ? m_looking.truth(row.path) : nullptr;
    if (!truth) return;
    for (std::size_t c = 0; c < row.tiles.size(); ++c)
      if (row.tiles[c]->box) row.matches[c] = matchOf(row, *row.tiles[c]->box, *truth);
  }

  PageMatch matchOf(const PageRow& row, const BoxSides& box, const TrueBoxes& truth) const {
    const BoxSides pixels = pixelSides(box, row.width, row.height, info().experiment.model);
    const TrueBoxMatch match = bestTrueBox(pixels, truth.boxes);
    return {match.overlap, matchText(match, truth.boxes, truth.classNames)};
  }

  std::string modelWords() const {
    std::string words = (info().isPrecomputed ? "maps of " : "") + makeModelTitle(info());
    if (m_masks.maskedHeads() > 0) words += ", masks: " + schemeTitle(m_masks);
    return words;
  }

  InferenceSession& m_session;
  const MaskScheme& m_masks;
  const FigurePage& m_page;
  const PageEvaluationOptions& m_looking;
  PageContent m_result;
  std::int64_t m_done = 0, m_steps = 0;
  RemainingTime m_remaining;
  // For the row that is being computed.
  Image m_image;
  RawImages m_raw;
  std::optional<AttentionMaps> m_maps;
  std::map<std::string, std::vector<TokenFeatures>> m_features;  ///< by colorsKey()
};

}  // namespace

Result<Image> readPageImage(const std::string& path) {
  return readImageAt(path);
}

Result<PageContent> evaluatePage(InferenceSession& session, const MaskScheme& masks,
                                 const FigurePage& page, const PageEvaluationOptions& looking) {
  return guarded("figure page",
                 [&] { return PageEvaluator(session, masks, page, looking).inference(); });
}

}  // namespace headlight
