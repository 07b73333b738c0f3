// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/BrushEditor.h"

#include <QButtonGroup>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

#include "ui/base/CoreText.h"
#include "ui/document/MaskText.h"
#include "ui/masks/MaskAppearance.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/OddSpinBox.h"

namespace headlight {
namespace {

constexpr double kAlphaSteps = 1000;
constexpr int kLargestSeed = std::numeric_limits<int>::max();

/// Why the field does not edit the window, which may be even in pixels; empty: it does.
QString whyNoWindow(const HeadMask& mask) {
  if (mask.kind == MaskKind::None || mask.kind == MaskKind::Decay)
    return BrushEditor::tr("This kind of mask has no window");
  if (mask.region.kind == RegionKind::Drawn && mask.kind != MaskKind::Random)
    return BrushEditor::tr("A drawn mask has no window; Region… changes the drawing");
  if (mask.region.inPixels)
    return BrushEditor::tr(
        "A window in pixels of the image: Region… changes it; in the matrix, 1 to 9 set patches");
  return {};
}

}  // namespace

BrushEditor::BrushEditor(QWidget* parent) : QWidget(parent), m_kinds(new QButtonGroup(this)) {
  setObjectName(QStringLiteral("brushEditor"));
  setAccessibleName(tr("Brush"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addLayout(makeKindGrid());
  layout->addLayout(makeParameterRow());
  m_whose = new QLabel(this);
  m_whose->setObjectName(QStringLiteral("brush.whose"));
  m_whose->setTextFormat(Qt::PlainText);
  m_whose->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  m_whose->setForegroundRole(QPalette::PlaceholderText);
  auto* row = new QHBoxLayout;
  row->addWidget(m_whose, 1);
  addRegion(row);
  layout->addLayout(row);
  setSubject({}, {});
}

/// Three in a row: all in one would be too wide for a small screen.
QLayout* BrushEditor::makeKindGrid() {
  constexpr int kKindsInARow = 3;
  auto* grid = new QGridLayout;
  grid->setSpacing(2);
  for (std::size_t i = 0; i < maskKindNames().size(); ++i) {
    const auto kind = static_cast<MaskKind>(i);
    const QString key = QString::fromStdString(maskKindName(kind));
    const QString name = coreText(maskKindName(kind));
    auto* button = new QToolButton(this);
    button->setObjectName(QStringLiteral("brush.") + key);
    button->setText(name.at(0).toUpper() + name.mid(1));
    button->setAccessibleName(tr("Brush: %1").arg(name));
    button->setToolTip(tr("Paint with %1 (%2 in the matrix). %3")
                           .arg(kind == MaskKind::None ? tr("no mask") : name, maskLetter(kind),
                                maskKindHelp(kind)));
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setIcon(maskSwatch(kind, palette()));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setFocusPolicy(Qt::StrongFocus);
    m_kinds->addButton(button, static_cast<int>(i));
    const int place = static_cast<int>(i);
    grid->addWidget(button, place / kKindsInARow, place % kKindsInARow);
  }
  m_kinds->setExclusive(true);
  connect(m_kinds, &QButtonGroup::idClicked, this, [this](int id) {
    edit([id](HeadMask& brush) { brush.kind = static_cast<MaskKind>(id); });
  });
  return grid;
}

QLayout* BrushEditor::makeParameterRow() {
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  addWindow(row);
  addAlpha(row);
  addSeed(row);
  addGamma(row);
  row->addStretch(0);
  return row;
}

void BrushEditor::addWindow(QHBoxLayout* row) {
  m_window = new OddSpinBox(this);
  m_window->setObjectName(QStringLiteral("brush.window"));
  m_window->setAccessibleName(tr("Width of the neighborhood, in patches"));
  addLabeledField(row, tr("&Window"), m_window);
  connect(m_window, &QSpinBox::valueChanged, this, [this](int value) {
    if (value % 2 == 1) editWindow(value);
  });
}

void BrushEditor::addAlpha(QHBoxLayout* row) {
  m_alpha = new QSlider(Qt::Horizontal, this);
  m_alpha->setObjectName(QStringLiteral("brush.alphaSlider"));
  m_alpha->setRange(1, static_cast<int>(kAlphaSteps) - 1);
  m_alpha->setPageStep(50);
  m_alpha->setAccessibleName(tr("α of soft masks"));
  m_alpha->setToolTip(tr("The initial α of a soft mask: 0 acts as a hard mask, 1 as no mask"));
  m_alphaLabel = addLabeledField(row, tr("&α"), m_alpha);
  row->setStretchFactor(m_alpha, 1);
  m_alphaValue = new QDoubleSpinBox(this);
  m_alphaValue->setObjectName(QStringLiteral("brush.alpha"));
  m_alphaValue->setRange(1 / kAlphaSteps, 1 - 1 / kAlphaSteps);
  m_alphaValue->setDecimals(3);
  m_alphaValue->setSingleStep(0.05);
  m_alphaValue->setAccessibleName(m_alpha->accessibleName());
  m_alphaValue->setToolTip(m_alpha->toolTip());
  row->addWidget(m_alphaValue);
  connect(m_alpha, &QSlider::valueChanged, this,
          [this](int value) { editAlpha(value / kAlphaSteps); });
  connect(m_alphaValue, &QDoubleSpinBox::valueChanged, this, &BrushEditor::editAlpha);
}

void BrushEditor::addSeed(QHBoxLayout* row) {
  m_seed = new QSpinBox(this);
  m_seed->setObjectName(QStringLiteral("brush.seed"));
  m_seed->setRange(0, kLargestSeed);
  m_seed->setAccessibleName(tr("Seed of random masks"));
  m_seed->setToolTip(tr("Another seed draws another random mask"));
  m_seedLabel = addLabeledField(row, tr("&Seed"), m_seed);
  connect(m_seed, &QSpinBox::valueChanged, this, [this](int value) {
    edit([value](HeadMask& brush) { brush.seed = static_cast<std::uint64_t>(value); });
  });
}

void BrushEditor::addGamma(QHBoxLayout* row) {
  m_gamma = new QDoubleSpinBox(this);
  m_gamma->setObjectName(QStringLiteral("brush.gamma"));
  m_gamma->setRange(1 / kAlphaSteps, 1);
  m_gamma->setDecimals(3);
  m_gamma->setSingleStep(0.05);
  m_gamma->setAccessibleName(tr("γ of decays"));
  m_gamma->setToolTip(
      tr("Weights are multiplied by γ for every patch of distance: 1 acts as no mask"));
  m_gammaLabel = addLabeledField(row, tr("&γ"), m_gamma);
  connect(m_gamma, &QDoubleSpinBox::valueChanged, this, &BrushEditor::editGamma);
}

void BrushEditor::addRegion(QHBoxLayout* row) {
  m_region = new QToolButton(this);
  m_region->setObjectName(QStringLiteral("brush.region"));
  m_region->setText(tr("Region…"));
  m_region->setAccessibleName(tr("Region of masks"));
  m_region->setToolTip(
      tr("Neighborhoods with dilation and stride, global patches, windows in pixels, drawn masks"));
  m_region->setAutoRaise(true);
  m_region->setFocusPolicy(Qt::StrongFocus);
  row->addWidget(m_region);
  connect(m_region, &QToolButton::clicked, this, &BrushEditor::regionWanted);
}

void BrushEditor::edit(const std::function<void(HeadMask&)>& change) {
  change(m_brush);
  display();
  Q_EMIT brushEdited(m_brush);
}

void BrushEditor::editWindow(int window) {
  if (m_subject) return Q_EMIT windowEdited(window);
  edit([window](HeadMask& brush) { brush.window = window; });
}

void BrushEditor::editAlpha(double alpha) {
  if (m_subject) return Q_EMIT alphaEdited(alpha);
  edit([alpha](HeadMask& brush) { brush.alpha = alpha; });
}

void BrushEditor::editGamma(double gamma) {
  if (m_subject) return Q_EMIT gammaEdited(gamma);
  edit([gamma](HeadMask& brush) { brush.gamma = gamma; });
}

void BrushEditor::setSubject(const std::optional<HeadMask>& mask, const QString& whose) {
  m_subject = mask;
  m_whose->setText(mask ? tr("Window and α edit %1").arg(whose)
                        : tr("Window and α are those of the brush"));
  display();
}

void BrushEditor::setBrush(const HeadMask& brush) {
  m_brush = brush;
  display();
}

void BrushEditor::setLargestWindow(int window) {
  m_largestWindow = window;
  display();
}

void BrushEditor::display() {
  const QSignalBlocker quiet(m_seed);
  const bool random = m_brush.kind == MaskKind::Random && !m_subject;
  const bool decay = m_subject.value_or(m_brush).kind == MaskKind::Decay;
  m_kinds->button(static_cast<int>(m_brush.kind))->setChecked(true);
  m_seed->setValue(static_cast<int>(std::min<std::uint64_t>(m_brush.seed, kLargestSeed)));
  for (QWidget* widget : {static_cast<QWidget*>(m_alphaLabel), static_cast<QWidget*>(m_alpha),
                          static_cast<QWidget*>(m_alphaValue)})
    widget->setVisible(!random && !decay);
  m_gammaLabel->setVisible(decay);
  m_gamma->setVisible(decay);
  m_seedLabel->setVisible(random);
  m_seed->setVisible(random);
  displayParameters(m_subject.value_or(m_brush));
}

void BrushEditor::displayParameters(const HeadMask& mask) {
  const QSignalBlocker blockers[]{QSignalBlocker(m_window), QSignalBlocker(m_alpha),
                                  QSignalBlocker(m_alphaValue), QSignalBlocker(m_gamma)};
  const bool pixels = mask.region.inPixels;
  m_window->setMaximum(pixels ? std::max(m_largestWindow, mask.window) : m_largestWindow);
  m_window->setValue(mask.window);
  m_alpha->setValue(static_cast<int>(mask.alpha * kAlphaSteps + 0.5));
  // A number that is being typed stays as it is written.
  if (m_alphaValue->value() != mask.alpha) m_alphaValue->setValue(mask.alpha);
  if (m_gamma->value() != mask.gamma) m_gamma->setValue(mask.gamma);
  m_window->setSuffix(pixels ? tr(" px") : QString());
  setUsable(m_window,
            tr("Width R of the neighborhood in patches: an odd number, centered on the query"),
            whyNoWindow(mask));
  for (QWidget* widget : {static_cast<QWidget*>(m_alphaLabel), static_cast<QWidget*>(m_alpha),
                          static_cast<QWidget*>(m_alphaValue)})
    widget->setEnabled(mask.kind == MaskKind::Soft);
}

void BrushEditor::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  for (QAbstractButton* button : m_kinds->buttons())
    button->setIcon(maskSwatch(static_cast<MaskKind>(m_kinds->id(button)), palette()));
}

}  // namespace headlight
