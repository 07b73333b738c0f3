// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/Document.h"

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/models/Registry.h"
#include "core/workbench/training/TrainingSession.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/HeadValues.h"
#include "ui/document/MaskCommand.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

QString shortText(double value) {
  return QLocale::c().toString(value, 'g', 3);
}

/// A mechanism without maps of tokens by tokens records nothing for its layer.
bool fits(const HeadPoint& point, const std::vector<int>& heads) {
  if (point.locality.size() != heads.size()) return false;
  for (std::size_t layer = 0; layer < heads.size(); ++layer)
    if (const auto count = point.locality[layer].size();
        count != 0 && count != static_cast<std::size_t>(heads[layer]))
      return false;
  return true;
}

}  // namespace

bool ViewOptions::operator==(const ViewOptions& other) const {
  return layer == other.layer && head == other.head && query == other.query &&
         style == other.style && dim == other.dim && opacity == other.opacity &&
         colorMap == other.colorMap && smooth == other.smooth && sharedRange == other.sharedRange &&
         showOverlay == other.showOverlay && rollout.fusion == other.rollout.fusion &&
         rollout.discardRatio == other.rollout.discardRatio && learned == other.learned &&
         way == other.way;
}

double& strengthOf(ViewOptions& view) {
  const bool overlay = styleOf(view.style, !view.learned.empty()) == MapStyle::Overlay;
  return overlay ? view.opacity : view.dim;
}

Document::Document(QObject* parent) : QObject(parent) {}

void Document::setModel(const ModelInfo& info) {
  m_model = info;
  const MaskShape shape = maskShapeOf(info.experiment.model);
  const auto masks = resolveMasks(info.experiment.masks, shape);
  m_masks = m_opened = masks ? *masks : MaskScheme(shape);
  m_undoStack.clear();
  m_look.reset();
  forgetReference();
  m_pinnedMasks.reset();
  m_maskReasons.clear();
  m_layerNumbers.values.reset();
  if (m_reference == Reference::Pinned) m_reference = Reference::LastEdit;
  m_editToPictureMs = -1;
  // Told below: who asks about heads now may still mean those of the model before.
  const bool showedRecord = std::exchange(m_recorded, nullptr) != nullptr;
  const bool showedPicture = std::exchange(m_recordedView, nullptr) != nullptr;
  m_followedFrom.reset();
  m_pinned = false;
  ViewOptions view = m_view;
  view.layer = static_cast<int>(info.heads.size()) - 1;
  view.head = -1;
  view.learned.clear();
  view.way.classIndex = view.way.layer = -1;
  // Without a class token the middle looks: a corner tells little.
  const Grid& grid = info.grid;
  view.query = grid.hasClassToken() ? 0 : grid.prefix + grid.rows / 2 * grid.cols + grid.cols / 2;
  const bool viewIsNew = !(view == m_view);
  m_view = view;
  Q_EMIT modelChanged();
  if (showedPicture) Q_EMIT pictureChanged();
  Q_EMIT lookChanged();
  if (showedRecord) Q_EMIT recordedChanged();
  if (viewIsNew) Q_EMIT viewChanged();
  if (!masks)
    Q_EMIT failed(tr("The model's masks do not fit it"),
                  QString::fromStdString(masks.error().text()));
}

QString Document::whyNotComputed() const {
  if (canCompute()) return {};
  return hasModel() ? tr("Maps of a file are open, without a model: open the model itself for this")
                    : tr("Open a model first");
}

void Document::updateModel(const ModelInfo& info) {
  m_model = info;
  Q_EMIT modelChanged();
}

void Document::setImage(const Image& image, const QString& name, const QString& path) {
  m_image = image;
  m_imageName = displayName(name);
  m_imagePath = path;
  m_look.reset();
  m_referenceLook.reset();
  Q_EMIT imageChanged();
  Q_EMIT pictureChanged();
  Q_EMIT lookChanged();
}

const Image& Document::shownImage() const {
  return m_recordedView ? *m_recordedView->image : m_image;
}

const QString& Document::shownImageName() const {
  return m_recordedView ? m_recordedView->imageName : m_imageName;
}

void Document::pushEdit(const MaskEdit& edit) {
  pushEdit(edit, MaskCommand::kNoStroke);
}

void Document::pushEdit(const MaskEdit& edit, int stroke) {
  if (edit.empty()) return;
  m_stroke = stroke;
  m_undoStack.push(new MaskCommand(this, edit, stroke));
  m_stroke = MaskCommand::kNoStroke;
}

void Document::applyEdit(const MaskEdit& edit) {
  MaskScheme before = m_masks;
  if (const auto applied = applyMaskEdit(m_masks, edit); !applied) {
    Q_EMIT failed(tr("The masks were not changed"), QString::fromStdString(applied.error().text()));
    return;
  }
  // The edits of a stroke share the picture from before the first, and so do those that come before
  // there is a picture of the last.
  const bool goesOn = m_stroke != MaskCommand::kNoStroke && m_stroke == m_strokeOfBefore;
  m_strokeOfBefore = m_stroke;
  if (!goesOn && (!m_stale || !m_beforeEdit)) {
    const bool seen = m_look && (m_look->masks.layers() == 0 || m_look->masks == before);
    m_beforeEdit = std::move(before);
    if (m_reference == Reference::LastEdit) {
      m_referenceLook = seen ? m_look : nullptr;
      m_referenceOf = *m_beforeEdit;
    }
  }
  Q_EMIT editApplied(edit);
  Q_EMIT masksChanged();
}

const MaskScheme& Document::shownMasks() const {
  const bool recorded = m_recordedView && m_recordedView->look->masks.shape() == m_masks.shape();
  return recorded ? m_recordedView->look->masks : m_masks;
}

void Document::setMaskReasons(std::map<HeadPlace, QString> reasons, const MaskScheme& found) {
  m_maskReasons = std::move(reasons);
  m_foundMasks = found;
}

QString Document::maskReason(const HeadPlace& head) const {
  const auto found = m_maskReasons.find(head);
  const bool holds = found != m_maskReasons.end() && m_foundMasks.contains(head.layer, head.head) &&
                     m_masks.contains(head.layer, head.head) &&
                     m_masks.at(head.layer, head.head) == m_foundMasks.at(head.layer, head.head);
  return holds ? found->second : QString();
}

void Document::replaceMasks(const MaskScheme& scheme) {
  m_masks = scheme;
  m_undoStack.clear();
  forgetReference();
  Q_EMIT masksChanged();
}

std::shared_ptr<const InferenceResult> Document::look() const {
  return m_recordedView ? m_recordedView->look : m_look;
}

void Document::setLook(std::shared_ptr<const InferenceResult> look, double editToPictureMs) {
  m_look = std::move(look);
  if (editToPictureMs >= 0) m_editToPictureMs = editToPictureMs;
  setStale(false);
  Q_EMIT lookChanged();
}

void Document::forgetReference() {
  m_beforeEdit.reset();
  m_referenceLook.reset();
}

void Document::setReference(Reference reference) {
  if (reference == m_reference) return;
  m_reference = reference;
  Q_EMIT referenceChanged();
}

void Document::pinReference() {
  m_pinnedMasks = m_masks;
  m_reference = Reference::Pinned;
  Q_EMIT referenceChanged();
}

std::optional<MaskScheme> Document::referenceMasks() const {
  if (!hasModel()) return std::nullopt;
  switch (m_reference) {
    case Reference::LastEdit:
      return m_beforeEdit;
    case Reference::Unmasked:
      return m_masks.maskedHeads() > 0 ? std::optional(MaskScheme(m_masks.shape())) : std::nullopt;
    case Reference::Pinned:
      return m_pinnedMasks;
  }
  return std::nullopt;
}

std::shared_ptr<const InferenceResult> Document::referenceLook() const {
  const auto masks = referenceMasks();
  const bool is = masks && !m_recordedView && m_look && m_referenceLook &&
                  m_referenceLook->weights == m_look->weights && m_referenceOf == *masks &&
                  m_referenceLook->view.pixels == m_look->view.pixels;
  return is ? m_referenceLook : nullptr;
}

bool Document::needsReferenceLook() const {
  return m_look && !m_stale && referenceMasks() && !referenceLook();
}

void Document::setReferenceLook(std::shared_ptr<const InferenceResult> look) {
  m_referenceOf = look->masks;
  m_referenceLook = std::move(look);
  Q_EMIT referenceChanged();
}

QString Document::describeReference() const {
  switch (m_reference) {
    case Reference::LastEdit:
      return tr("before the last edit");
    case Reference::Unmasked:
      return tr("unmasked");
    case Reference::Pinned:
      return tr("pinned state");
  }
  return {};
}

void Document::setStale(bool stale) {
  if (stale == m_stale) return;
  m_stale = stale;
  Q_EMIT staleChanged();
}

void Document::setRecorded(std::shared_ptr<const HeadPoint> point) {
  if (point && !(m_model && fits(*point, m_model->heads))) point.reset();
  if (point == m_recorded) return;
  m_recorded = std::move(point);
  Q_EMIT recordedChanged();
}

void Document::setRecordedView(std::shared_ptr<const RecordedView> view) {
  if (view == m_recordedView) return;
  const auto imageOf = [](const auto& of) { return of ? of->image : nullptr; };
  const bool otherPicture = imageOf(view) != imageOf(m_recordedView);
  if (view && !m_recordedView) m_liveToken = m_followedFrom.value_or(m_view.query);
  const bool chosen = m_recordedView && m_view.query != keptToken(m_liveToken);
  m_recordedView = std::move(view);
  const int before = m_view.query;
  m_view.query = m_recordedView || chosen ? keptToken(m_view.query) : m_liveToken;
  if (otherPicture) Q_EMIT pictureChanged();
  Q_EMIT lookChanged();
  if (before != m_view.query) Q_EMIT viewChanged();
}

/// While a recorded step is shown: the nearest token of which there is a map.
int Document::keptToken(int token) const {
  if (!m_recordedView || !m_view.learned.empty() || !m_model) return token;
  return nearestKeptToken(m_recordedView->queries, token, m_model->grid);
}

std::optional<float> Document::locality(int layer, int head) const {
  if (m_recorded) return headValue(m_recorded->locality, layer, head);
  return m_look ? headValue(m_look->locality, layer, head) : std::nullopt;
}

std::optional<float> Document::recordedAlpha(int layer, int head) const {
  if (!m_recorded) return std::nullopt;
  const auto alpha = headValue(m_recorded->alpha, layer, head);
  return alpha && std::isfinite(*alpha) ? alpha : std::nullopt;
}

std::optional<float> Document::alpha(int layer, int head) const {
  if (m_recorded) return recordedAlpha(layer, head);
  const HeadMask& mask = m_masks.at(layer, head);
  if (mask.kind != MaskKind::Soft) return std::nullopt;
  std::optional<float> learned;
  if (m_look)
    learned = headValue(m_look->alphas, layer, head);
  else if (m_model && m_opened.contains(layer, head) && m_opened.at(layer, head) == mask)
    learned = headValue(m_model->alphas, layer, head);
  return learned && std::isfinite(*learned) ? *learned : static_cast<float>(mask.alpha);
}

void Document::setNumbers(const HeadNumbers& numbers) {
  m_numbers = numbers;
  m_largestNumber = 0;
  if (numbers.values)
    for (const auto& layer : numbers.values->values)
      for (const double value : layer)
        if (std::isfinite(value)) m_largestNumber = std::max(m_largestNumber, std::abs(value));
  Q_EMIT numbersChanged();
}

void Document::setLayerNumbers(const LayerNumbers& numbers) {
  m_layerNumbers = numbers;
  Q_EMIT layerNumbersChanged();
}

std::optional<double> Document::number(int layer, int head) const {
  if (!m_numbers.values) {
    std::optional<float> live;
    if (m_numbers.averaged || head < 0) return std::nullopt;
    if (m_numbers.measure == HeadMetric::Locality) live = locality(layer, head);
    if (m_numbers.measure == HeadMetric::Alpha && m_masks.contains(layer, head))
      live = alpha(layer, head);
    return live ? std::optional<double>(*live) : std::nullopt;
  }
  const auto& all = m_numbers.values->values;
  if (layer < 0 || head < 0 || layer >= static_cast<int>(all.size())) return std::nullopt;
  const auto& heads = all[static_cast<std::size_t>(layer)];
  if (head >= static_cast<int>(heads.size())) return std::nullopt;
  const double value = heads[static_cast<std::size_t>(head)];
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double Document::numberShare(double value) const {
  const double scale = infoOf(m_numbers.measure).isShare || !m_numbers.values ? 1 : m_largestNumber;
  return scale > 0 ? std::clamp(std::abs(value) / scale, 0.0, 1.0) : 0;
}

std::optional<double> Document::numberChance(int layer) const {
  if (!m_numbers.values || layer < 0) return std::nullopt;
  const auto& chance = m_numbers.values->chance;
  const auto at = static_cast<std::size_t>(layer);
  return at < chance.size() && std::isfinite(chance[at]) ? std::optional(chance[at]) : std::nullopt;
}

QString Document::numberText(double value) const {
  return headNumberText(infoOf(m_numbers.measure), value);
}

QString Document::describeNumbers() const {
  QString title = QString::fromStdString(infoOf(m_numbers.measure).title);
  if (!m_numbers.averaged) return title;
  if (!m_numbers.values) return tr("%1, being measured").arg(title);
  return tr("%1, mean of %2 pictures").arg(title).arg(m_numbers.values->pictures);
}

void Document::setView(const ViewOptions& wanted) {
  if (wanted.query != m_view.query) m_followedFrom.reset();
  showView(wanted);
}

void Document::lookFrom(int token) {
  ViewOptions view = m_view;
  view.query = token;
  showView(view);
}

void Document::showView(const ViewOptions& wanted) {
  ViewOptions view = wanted;
  if (hasModel()) {
    const int layers = static_cast<int>(m_model->heads.size());
    view.layer = std::clamp(view.layer, 0, std::max(layers - 1, 0));
    const int heads = layers > 0 ? m_model->heads[view.layer] : 0;
    view.head = std::clamp(view.head, -1, heads - 1);
    view.query = std::clamp(view.query, 0, std::max(m_model->grid.tokens() - 1, 0));
    view.way.layer = std::clamp(view.way.layer, -1, layers - 1);
    view.way.classIndex =
        std::clamp(view.way.classIndex, -1, m_model->experiment.model.classes - 1);
    if (m_recordedView && view.learned.empty())
      view.query = nearestKeptToken(m_recordedView->queries, view.query, m_model->grid);
  }
  if (!view.learned.empty() && m_view.learned.empty()) view.query = placedToken(view.query);
  view.opacity = std::clamp(view.opacity, 0.0, 1.0);
  view.dim = std::clamp(view.dim, 0.0, 1.0);
  view.rollout.discardRatio = std::clamp(view.rollout.discardRatio, 0.0, 0.99);
  if (view == m_view) return;
  m_view = view;
  Q_EMIT viewChanged();
}

/// A learned map is of places: a token that has none gives way to the middle patch.
int Document::placedToken(int token) const {
  if (!hasModel() || token >= m_model->grid.prefix) return token;
  const Grid& grid = m_model->grid;
  return grid.prefix + grid.rows / 2 * grid.cols + grid.cols / 2;
}

void Document::changeView(const std::function<void(ViewOptions&)>& change) {
  ViewOptions view = m_view;
  change(view);
  setView(view);
}

void Document::follow(int token) {
  if (m_pinned || !hasModel()) return;
  if (!m_followedFrom) m_followedFrom = m_view.query;
  lookFrom(token);
}

void Document::endFollowing() {
  const auto before = std::exchange(m_followedFrom, std::nullopt);
  if (before) lookFrom(*before);
}

void Document::pin(int token) {
  m_followedFrom.reset();
  const bool isNew = !std::exchange(m_pinned, true);
  const int before = m_view.query;
  lookFrom(token);
  if (isNew && before == m_view.query) Q_EMIT viewChanged();  // legends say that it is pinned
}

void Document::unpin() {
  if (std::exchange(m_pinned, false)) Q_EMIT viewChanged();
}

ViewOptions Document::steadyView() const {
  ViewOptions view = m_view;
  if (m_followedFrom) view.query = *m_followedFrom;
  return view;
}

void Document::setSourceNote(const QString& note) {
  if (note == m_sourceNote) return;
  m_sourceNote = note;
  Q_EMIT viewChanged();  // captions say it
  Q_EMIT sourceNoteChanged();
}

void Document::setRunNote(const QString& note) {
  if (note == m_runNote) return;
  m_runNote = note;
  Q_EMIT viewChanged();
  Q_EMIT sourceNoteChanged();
}

QString Document::sourceNote() const {
  return m_recordedView ? m_recordedView->source : liveSourceNote();
}

QString Document::runNote() const {
  if (m_recordedView) return m_recordedView->source;
  return m_sourceNote.isEmpty() ? m_runNote : m_sourceNote;
}

QString Document::liveSourceNote() const {
  if (!m_sourceNote.isEmpty()) return m_sourceNote;
  if (!m_model) return {};
  if (!m_runNote.isEmpty()) return m_runNote;
  if (m_model->randomWeights) return tr("random weights");
  const std::size_t random = m_model->report.unfilled().size();
  return random > 0 ? tr("%1 of the model's tensors random").arg(random) : QString();
}

QString Document::describeView() const {
  QStringList parts{tr("layer %1").arg(m_view.layer),
                    m_view.head < 0 ? tr("mean of heads") : tr("head %1").arg(m_view.head),
                    describeToken(m_view.query)};
  // Of a recorded step a line of its own says it.
  if (const QString note = sourceNote(); !note.isEmpty() && !m_recordedView) parts << note;
  return parts.join(QStringLiteral(" · "));
}

QString Document::describeToken(int token) const {
  if (!hasModel()) return tr("token %1").arg(token);
  return QString::fromStdString(tokenText(token, m_model->grid));
}

QString Document::describeRange(const ValueRange& range) const {
  return (m_view.sharedRange ? tr("one scale for all heads: %1 to %2")
                             : tr("scaled to this map: %1 to %2"))
      .arg(shortText(range.low), shortText(range.high));
}

}  // namespace headlight
