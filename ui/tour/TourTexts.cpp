// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tour/TourTexts.h"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

/// "91 %", "3.1 %", "0.07 %".
QString percent(double share) {
  const int digits = share < 0.00995 ? 2 : share < 0.0995 ? 1 : 0;
  return QObject::tr("%1 %").arg(share * 100, 0, 'f', digits);
}

/// "22.1 M".
QString shortCount(std::int64_t count) {
  const auto value = static_cast<double>(count);
  const auto [unit, divisor] = value >= 1e9   ? std::pair("G", 1e9)
                               : value >= 1e6 ? std::pair("M", 1e6)
                                              : std::pair("k", 1e3);
  return QStringLiteral("%1 %2").arg(value / divisor, 0, 'g', 3).arg(QLatin1String(unit));
}

int countHeads(const ModelInfo& model) {
  return std::accumulate(model.heads.begin(), model.heads.end(), 0);
}

/// "18 heads in 6 layers".
QString headsText(const ModelInfo& model) {
  return QObject::tr("%1 heads in %2 layers").arg(countHeads(model)).arg(model.heads.size());
}

std::optional<LayerMaps> shownLayer(const Document& document) {
  const auto inference = document.inference();
  const auto layer = static_cast<std::size_t>(document.view().options().layer);
  if (!document.inputs().hasModel() || !inference) return std::nullopt;
  if (!document.view().options().learned.empty()) return std::nullopt;
  if (layer >= inference->maps.layers.size() || inference->maps.layers[layer].empty())
    return std::nullopt;
  return inference->maps.layers[layer];
}

QString valueText(const BrightestPatch& patch, const ModelInfo& model) {
  if (!model.mapRowsSumToOne || model.mapIsSigned)
    return QObject::tr("The framed patch has the largest value, %1.").arg(patch.value, 0, 'g', 3);
  if (patch.chance <= 0)
    return QObject::tr("The framed patch gets %1 of its attention.").arg(percent(patch.value));
  return QObject::tr("The framed patch gets %1 of its attention; uniform attention would give %2.")
      .arg(percent(patch.value), percent(patch.chance));
}

struct LocalHead {
  HeadPlace place;
  double locality = 0;
};

/// The least and the most local head of the shown result.
std::optional<std::pair<LocalHead, LocalHead>> findLocalHeads(const InferenceResult& inference) {
  std::vector<LocalHead> heads;
  for (std::size_t l = 0; l < inference.locality.size(); ++l)
    for (std::size_t h = 0; h < inference.locality[l].size(); ++h)
      if (std::isfinite(inference.locality[l][h]))
        heads.push_back({{static_cast<int>(l), static_cast<int>(h)}, inference.locality[l][h]});
  if (heads.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(
      heads.begin(), heads.end(),
      [](const LocalHead& a, const LocalHead& b) { return a.locality < b.locality; });
  return std::pair(*least, *most);
}

QString localHeadsText(const Document& document) {
  const auto inference = document.inference();
  if (!inference) return QObject::tr("Open an image to see them.");
  const auto found = findLocalHeads(*inference);
  if (!found) return {};
  const auto& [least, most] = *found;
  return QObject::tr(
             "On this image the most local is head %1 of layer %2 (ALS %3), the least local "
             "head %4 of layer %5 (ALS %6).")
      .arg(most.place.head)
      .arg(most.place.layer)
      .arg(most.locality, 0, 'f', 2)
      .arg(least.place.head)
      .arg(least.place.layer)
      .arg(least.locality, 0, 'f', 2);
}

QString maskedText(const Document& document) {
  const MaskScheme& masks = document.inputs().masks();
  return QObject::tr("%1 of %2 heads are masked (scheme “%3”).")
      .arg(masks.maskedHeads())
      .arg(countHeads(document.inputs().model()))
      .arg(displayName(schemeTitle(masks)));
}

/// "striped disc 91.0 % → house 40.1 %", or what to watch instead.
QString effectText(const Document& document) {
  const QString now = topClassText(document.inference().get());
  if (now.isEmpty()) return QObject::tr("This model names no classes: watch the maps change.");
  const QString before = topClassText(document.reference().inference().get());
  if (before.isEmpty()) return QObject::tr("The prediction is now %1.").arg(now);
  return QObject::tr("The prediction went from %1 to %2.").arg(before, now);
}

QString sideText(const Document& side) {
  if (!side.inputs().hasModel()) return QObject::tr("nothing yet");
  const QString what =
      QObject::tr("%1, scheme “%2”")
          .arg(displayName(side.modelTitle()), displayName(schemeTitle(side.inputs().masks())));
  const QString top = topClassText(side.inference().get());
  return top.isEmpty() ? what : QObject::tr("%1, %2").arg(what, top);
}

}  // namespace

std::optional<BrightestPatch> findBrightest(const Document& document) {
  const auto maps = shownLayer(document);
  if (!maps) return std::nullopt;
  const ViewOptions& view = document.view().options();
  const int query = queryInLayer(view.query, document.inputs().model().grid, maps->grid);
  if (query < 0) return std::nullopt;
  const std::vector<float> seen =
      view.head < 0 ? patchesSeenBy(*maps, query) : patchesSeenBy(*maps, view.head, query);
  BrightestPatch best{-1, maps->grid, 0, 1.0 / maps->tokens()};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!std::isfinite(seen[i])) best.chance = 0;
    if (!std::isfinite(seen[i]) || (best.patch >= 0 && seen[i] <= best.value)) continue;
    best.patch = static_cast<int>(i);
    best.value = seen[i];
  }
  return best.patch < 0 ? std::nullopt : std::optional(best);
}

QString topClassText(const InferenceResult* inference) {
  if (!inference || inference->top.empty()) return {};
  return QStringLiteral("%1 %2").arg(displayName(inference->top.front().name),
                                     percent(inference->top.front().probability));
}

QString tokenStepText(const Document& document) {
  if (!document.inputs().hasModel()) return QObject::tr("Open a model and an image first.");
  const ModelInfo& model = document.inputs().model();
  const QString whose = QObject::tr("%1: %2.").arg(displayName(document.modelTitle()),
                                                   displayName(document.view().describe()));
  const auto patch = findBrightest(document);
  const QString value =
      patch ? valueText(*patch, model) : QObject::tr("Open an image to see its map.");
  return QObject::tr(
             "%1 %2\nPoint at a patch to see where that patch looks; a click pins it, C goes "
             "back to the class token.")
      .arg(whose, value);
}

QString headsStepText(const Document& document) {
  if (!document.inputs().hasModel()) return QObject::tr("Open a model first.");
  return QObject::tr("%1 has %2, each a small map here. %3\nClick one to see it large.")
      .arg(displayName(document.modelTitle()), headsText(document.inputs().model()),
           localHeadsText(document));
}

QString masksStepText(const Document& document) {
  const InferenceInputs& inputs = document.inputs();
  if (!inputs.canCompute()) return inputs.whyNotComputed() + QLatin1Char('.');
  if (inputs.masks().maskableLayers() == 0)
    return QObject::tr("No head of %1 can be masked: %2.")
        .arg(displayName(document.modelTitle()), coreText(whyNotMaskable(inputs.masks())));
  return QObject::tr(
             "A mask limits where a head of %1 may look. %2 %3\nClick cells, or a row's or "
             "column's number, to mask heads; Ctrl+Z undoes it.")
      .arg(displayName(document.modelTitle()), maskedText(document), effectText(document));
}

QString trainStepText(const Document& document, const QString& run) {
  if (!run.isEmpty())
    return QObject::tr(
               "Run “%1” is in progress: its curves and maps change here as it learns. Pause "
               "and Stop write a checkpoint to resume from.")
        .arg(displayName(run));
  const InferenceInputs& inputs = document.inputs();
  if (!inputs.canCompute()) return inputs.whyNotComputed() + QLatin1Char('.');
  return QObject::tr(
             "Train… (Ctrl+T) trains a copy of %1 (%2 parameters) under the present masks. "
             "%3\nLoss, accuracy and the maps of the newest weights appear here; the open "
             "model stays as it is.")
      .arg(displayName(document.modelTitle()))
      .arg(shortCount(inputs.model().parameters))
      .arg(maskedText(document));
}

QString compareStepText(const Document& left, const Document& right) {
  return QObject::tr(
             "Left: %1.\nRight: %2.\nChoose model, masks and image of each side above it; "
             "one cursor moves both.")
      .arg(sideText(left), sideText(right));
}

}  // namespace headlight
