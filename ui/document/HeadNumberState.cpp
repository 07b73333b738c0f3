// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/HeadNumberState.h"

#include <algorithm>
#include <cmath>

#include "core/workbench/training/TrainingSession.h"
#include "ui/base/CoreText.h"
#include "ui/document/Document.h"
#include "ui/document/HeadValues.h"

namespace headlight {

void HeadNumberState::setHeads(const HeadNumbers& numbers) {
  m_heads = numbers;
  m_largest = 0;
  if (numbers.values)
    for (const auto& layer : numbers.values->values)
      for (const double value : layer)
        if (std::isfinite(value)) m_largest = std::max(m_largest, std::abs(value));
  Q_EMIT changed();
}

void HeadNumberState::setLayers(const LayerNumbers& numbers) {
  m_layers = numbers;
  Q_EMIT layersChanged();
}

std::optional<double> HeadNumberState::value(int layer, int head) const {
  if (!m_heads.values) {
    std::optional<float> live;
    if (m_heads.averaged || head < 0) return std::nullopt;
    if (m_heads.measure == HeadMetric::Locality) live = locality(layer, head);
    if (m_heads.measure == HeadMetric::Alpha && m_document.inputs().masks().contains(layer, head))
      live = alpha(layer, head);
    return live ? std::optional<double>(*live) : std::nullopt;
  }
  const auto& all = m_heads.values->values;
  if (layer < 0 || head < 0 || layer >= static_cast<int>(all.size())) return std::nullopt;
  const auto& heads = all[static_cast<std::size_t>(layer)];
  if (head >= static_cast<int>(heads.size())) return std::nullopt;
  const double value = heads[static_cast<std::size_t>(head)];
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double HeadNumberState::share(double value) const {
  const double scale = findInfo(m_heads.measure).isShare || !m_heads.values ? 1 : m_largest;
  return scale > 0 ? std::clamp(std::abs(value) / scale, 0.0, 1.0) : 0;
}

std::optional<double> HeadNumberState::chance(int layer) const {
  if (!m_heads.values || layer < 0) return std::nullopt;
  const auto& chance = m_heads.values->chance;
  const auto at = static_cast<std::size_t>(layer);
  return at < chance.size() && std::isfinite(chance[at]) ? std::optional(chance[at]) : std::nullopt;
}

QString HeadNumberState::text(double value) const {
  return headNumberText(findInfo(m_heads.measure), value);
}

QString HeadNumberState::describe() const {
  QString title = coreText(findInfo(m_heads.measure).title);
  if (!m_heads.averaged) return title;
  if (!m_heads.values) return tr("%1, being measured").arg(title);
  return tr("%1, mean of %2 images").arg(title).arg(m_heads.values->images);
}

std::optional<float> HeadNumberState::locality(int layer, int head) const {
  if (const auto& recorded = m_document.recorded().point())
    return headValue(recorded->locality, layer, head);
  const auto inference = m_document.liveInference();
  return inference ? headValue(inference->locality, layer, head) : std::nullopt;
}

std::optional<float> HeadNumberState::alpha(int layer, int head) const {
  if (m_document.recorded().point()) return m_document.recorded().alpha(layer, head);
  const InferenceInputs& inputs = m_document.inputs();
  const HeadMask& mask = inputs.masks().at(layer, head);
  if (mask.kind != MaskKind::Soft) return std::nullopt;
  const MaskScheme& opened = inputs.openedMasks();
  std::optional<float> learned;
  if (const auto inference = m_document.liveInference())
    learned = headValue(inference->alphas, layer, head);
  else if (inputs.hasModel() && opened.contains(layer, head) && opened.at(layer, head) == mask)
    learned = headValue(inputs.model().alphas, layer, head);
  return learned && std::isfinite(*learned) ? *learned : static_cast<float>(mask.alpha);
}

}  // namespace headlight
