// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/InferenceInputs.h"

#include <utility>

#include "core/models/Registry.h"
#include "core/workbench/training/TrainingSession.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/MaskCommand.h"

namespace headlight {

Result<void> InferenceInputs::resetModel(const ModelInfo& info) {
  m_model = info;
  const MaskShape shape = makeMaskShape(info.experiment.model);
  const auto masks = resolveMasks(info.experiment.masks, shape);
  m_masks = m_opened = masks ? *masks : MaskScheme(shape);
  m_undoStack.clear();
  m_maskReasons.clear();
  if (!masks) return masks.error();
  return {};
}

void InferenceInputs::resetImage(const Image& image, const QString& name, const QString& path,
                                 std::shared_ptr<const KnownTruth> truth) {
  m_image = image;
  m_imageName = displayName(name);
  m_imagePath = path;
  m_imageTruth = std::move(truth);
}

QString InferenceInputs::whyNotComputed() const {
  if (canCompute()) return {};
  return hasModel() ? tr("Only maps from a file are open; open a model for this")
                    : tr("Open a model first");
}

void InferenceInputs::updateModel(const ModelInfo& info) {
  m_model = info;
  Q_EMIT modelChanged();
}

void InferenceInputs::pushEdit(const MaskEdit& edit) {
  pushEdit(edit, MaskCommand::kNoStroke);
}

void InferenceInputs::pushEdit(const MaskEdit& edit, int stroke) {
  if (edit.empty()) return;
  m_stroke = stroke;
  m_undoStack.push(new MaskCommand(this, edit, stroke));
  m_stroke = MaskCommand::kNoStroke;
}

void InferenceInputs::applyEdit(const MaskEdit& edit) {
  const MaskScheme before = m_masks;
  if (const auto applied = applyMaskEdit(m_masks, edit); !applied) {
    Q_EMIT failed(tr("The masks were not changed"), QString::fromStdString(applied.error().text()));
    return;
  }
  Q_EMIT edited(before, m_stroke);
  Q_EMIT editApplied(edit);
  Q_EMIT masksChanged();
}

void InferenceInputs::replaceMasks(const MaskScheme& scheme) {
  m_masks = scheme;
  m_undoStack.clear();
  Q_EMIT masksReplaced();
  Q_EMIT masksChanged();
}

void InferenceInputs::setMaskReasons(std::map<HeadPlace, QString> reasons,
                                     const MaskScheme& found) {
  m_maskReasons = std::move(reasons);
  m_foundMasks = found;
}

QString InferenceInputs::maskReason(const HeadPlace& head) const {
  const auto found = m_maskReasons.find(head);
  const bool holds = found != m_maskReasons.end() && m_foundMasks.contains(head.layer, head.head) &&
                     m_masks.contains(head.layer, head.head) &&
                     m_masks.at(head.layer, head.head) == m_foundMasks.at(head.layer, head.head);
  return holds ? found->second : QString();
}

}  // namespace headlight
