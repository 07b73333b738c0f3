// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/MaskText.h"

#include <QObject>

#include <algorithm>
#include <set>

#include "ui/base/CoreText.h"

namespace headlight {

namespace {

/// "3×3", "natten 7×7, dilation 2", "48 pixels", "drawn".
QString regionText(const HeadMask& mask) {
  const MaskRegion& region = mask.region;
  QString text = QStringLiteral("%1×%1").arg(mask.window);
  if (region.inPixels) text = QObject::tr("%1 pixels").arg(mask.window);
  if (region.kind == RegionKind::Natten) text = QStringLiteral("natten ") + text;
  if (region.kind == RegionKind::Drawn) text = QObject::tr("drawn");
  if (region.dilation != 1) text += QObject::tr(", dilation %1").arg(region.dilation);
  if (region.stride != 1) text += QObject::tr(", stride %1").arg(region.stride);
  if (!region.global.empty()) text += QObject::tr(", %1 global").arg(region.global.size());
  return text;
}

}  // namespace

QString maskText(const HeadMask& mask) {
  if (mask.kind == MaskKind::None) return QObject::tr("no mask");
  if (mask.kind == MaskKind::Decay) return QObject::tr("decay, γ %1").arg(mask.gamma, 0, 'g', 4);
  QString text = coreText(maskKindName(mask.kind)) + QLatin1Char(' ') + regionText(mask);
  if (mask.kind == MaskKind::Soft) text += QStringLiteral(", α %1").arg(mask.alpha, 0, 'g', 4);
  if (mask.kind == MaskKind::Random) text += QObject::tr(", seed %1").arg(mask.seed);
  return text;
}

QString maskKindHelp(MaskKind kind) {
  switch (kind) {
    case MaskKind::None:
      return QObject::tr("The head can attend to every token.");
    case MaskKind::Hard:
      return QObject::tr(
          "Logits outside the neighborhood become 0 but stay in the softmax, so that the head can "
          "still bypass locality (MaiT Eq. 2).");
    case MaskKind::Soft:
      return QObject::tr(
          "Logits outside the neighborhood are multiplied by α, which is learned: 0 would be "
          "hard, "
          "1 unmasked (MaiT §4.3).");
    case MaskKind::Strict:
      return QObject::tr(
          "Logits outside the neighborhood become −∞: the head sees only its neighborhood and the "
          "prefix tokens.");
    case MaskKind::Random:
      return QObject::tr(
          "Like hard, but with the same number of tokens per row, drawn at random: the control of "
          "MaiT §5.6.");
    case MaskKind::Decay:
      return QObject::tr(
          "Every weight is multiplied by γ for each patch of distance, along rows and columns, "
          "before rows are divided by their sums (RMT).");
  }
  return {};
}

QString whyNotMaskableText(const MaskScheme& scheme) {
  return coreText(whyNotMaskable(scheme));
}

QString cellsText(const MaskScheme& scheme, const std::vector<HeadPlace>& cells) {
  const std::set<HeadPlace> unique(cells.begin(), cells.end());
  if (unique.empty()) return QObject::tr("0 heads");
  const auto [layer, head] = *unique.begin();
  if (unique.size() == 1) return QObject::tr("layer %1, head %2").arg(layer).arg(head);
  const bool oneLayer = unique.rbegin()->layer == layer;
  const bool oneHead = std::all_of(unique.begin(), unique.end(),
                                   [h = head](const HeadPlace& cell) { return cell.head == h; });
  // Edits are about the layers that can be masked, selections may be about all.
  const bool some =
      unique.rbegin()->layer < scheme.maskableLayers() && scheme.maskableLayers() < scheme.layers();
  std::size_t all = 0, havingHead = 0;
  for (int l = 0; l < (some ? scheme.maskableLayers() : scheme.layers()); ++l) {
    all += static_cast<std::size_t>(scheme.heads(l));
    havingHead += scheme.contains(l, head);
  }
  const QString which = some ? QObject::tr(" that can be masked") : QString();
  if (unique.size() == all) return QObject::tr("every head") + which;
  if (oneLayer && scheme.contains(layer, 0) &&
      unique.size() == static_cast<std::size_t>(scheme.heads(layer)))
    return QObject::tr("layer %1").arg(layer);
  if (oneHead && unique.size() == havingHead)
    return QObject::tr("head %1 of every layer").arg(head) + which;
  return QObject::tr("%1 heads").arg(unique.size());
}

QString maskEditText(const MaskScheme& scheme, const std::vector<HeadPlace>& cells,
                     const HeadMask& mask) {
  return QObject::tr("%1 on %2").arg(maskText(mask), cellsText(scheme, cells));
}

}  // namespace headlight
