// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/BrushEditor.h"

#include <QButtonGroup>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

#include "ui/document/MaskText.h"
#include "ui/masks/MaskAppearance.h"
#include "ui/widgets/OddSpinBox.h"

namespace headlight {
namespace {

constexpr double kAlphaSteps = 1000;
constexpr int kLargestSeed = std::numeric_limits<int>::max();

}  // namespace

BrushEditor::BrushEditor(QWidget* parent) : QWidget(parent), m_kinds(new QButtonGroup(this)) {
  setObjectName(QStringLiteral("brushEditor"));
  setAccessibleName(tr("Brush"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addLayout(makeKindRow());
  layout->addLayout(makeParameterRow());
  display();
}

QLayout* BrushEditor::makeKindRow() {
  auto* row = new QHBoxLayout;
  row->setSpacing(2);
  for (std::size_t i = 0; i < maskKindNames().size(); ++i) {
    const auto kind = static_cast<MaskKind>(i);
    const QString name = QString::fromStdString(maskKindName(kind));
    auto* button = new QToolButton(this);
    button->setObjectName(QStringLiteral("brush.") + name);
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
    row->addWidget(button);
  }
  m_kinds->setExclusive(true);
  connect(m_kinds, &QButtonGroup::idClicked, this, [this](int id) {
    edit([id](HeadMask& brush) { brush.kind = static_cast<MaskKind>(id); });
  });
  return row;
}

QLayout* BrushEditor::makeParameterRow() {
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  addWindow(row);
  addAlpha(row);
  addSeed(row);
  row->addStretch(0);
  return row;
}

QLabel* BrushEditor::addLabelled(QHBoxLayout* row, const QString& text, QWidget* buddy) {
  auto* label = new QLabel(text, this);
  label->setBuddy(buddy);
  row->addWidget(label);
  row->addWidget(buddy);
  return label;
}

void BrushEditor::addWindow(QHBoxLayout* row) {
  m_window = new OddSpinBox(this);
  m_window->setObjectName(QStringLiteral("brush.window"));
  m_window->setAccessibleName(tr("Width of the neighbourhood, in patches"));
  m_window->setToolTip(tr("Width R of the neighbourhood in patches: odd, the query in its middle"));
  addLabelled(row, tr("&Window"), m_window);
  connect(m_window, &QSpinBox::valueChanged, this, [this](int value) {
    if (value % 2 == 1) edit([value](HeadMask& brush) { brush.window = value; });
  });
}

void BrushEditor::addAlpha(QHBoxLayout* row) {
  m_alpha = new QSlider(Qt::Horizontal, this);
  m_alpha->setObjectName(QStringLiteral("brush.alphaSlider"));
  m_alpha->setRange(1, static_cast<int>(kAlphaSteps) - 1);
  m_alpha->setPageStep(50);
  m_alpha->setAccessibleName(tr("α of soft masks"));
  m_alpha->setToolTip(tr("The α that a soft mask starts from: towards 0 hard, towards 1 unmasked"));
  m_alphaLabel = addLabelled(row, tr("&α"), m_alpha);
  row->setStretchFactor(m_alpha, 1);
  m_alphaValue = new QDoubleSpinBox(this);
  m_alphaValue->setObjectName(QStringLiteral("brush.alpha"));
  m_alphaValue->setRange(1 / kAlphaSteps, 1 - 1 / kAlphaSteps);
  m_alphaValue->setDecimals(3);
  m_alphaValue->setSingleStep(0.05);
  m_alphaValue->setAccessibleName(m_alpha->accessibleName());
  m_alphaValue->setToolTip(m_alpha->toolTip());
  row->addWidget(m_alphaValue);
  connect(m_alpha, &QSlider::valueChanged, this, [this](int value) {
    edit([value](HeadMask& brush) { brush.alpha = value / kAlphaSteps; });
  });
  connect(m_alphaValue, &QDoubleSpinBox::valueChanged, this,
          [this](double value) { edit([value](HeadMask& brush) { brush.alpha = value; }); });
}

void BrushEditor::addSeed(QHBoxLayout* row) {
  m_seed = new QSpinBox(this);
  m_seed->setObjectName(QStringLiteral("brush.seed"));
  m_seed->setRange(0, kLargestSeed);
  m_seed->setAccessibleName(tr("Seed of random masks"));
  m_seed->setToolTip(tr("What a random mask is drawn from: another seed, another mask"));
  m_seedLabel = addLabelled(row, tr("&Seed"), m_seed);
  connect(m_seed, &QSpinBox::valueChanged, this, [this](int value) {
    edit([value](HeadMask& brush) { brush.seed = static_cast<std::uint64_t>(value); });
  });
}

void BrushEditor::edit(const std::function<void(HeadMask&)>& change) {
  change(m_brush);
  display();
  Q_EMIT brushEdited(m_brush);
}

void BrushEditor::setBrush(const HeadMask& brush) {
  m_brush = brush;
  display();
}

void BrushEditor::setLargestWindow(int window) {
  const QSignalBlocker blocker(m_window);
  m_window->setMaximum(window);
}

void BrushEditor::display() {
  const HeadMask& brush = m_brush;
  const QSignalBlocker blockers[]{QSignalBlocker(m_window), QSignalBlocker(m_alpha),
                                  QSignalBlocker(m_alphaValue), QSignalBlocker(m_seed)};
  m_kinds->button(static_cast<int>(brush.kind))->setChecked(true);
  m_window->setValue(brush.window);
  m_alpha->setValue(static_cast<int>(brush.alpha * kAlphaSteps + 0.5));
  m_alphaValue->setValue(brush.alpha);
  m_seed->setValue(static_cast<int>(std::min<std::uint64_t>(brush.seed, kLargestSeed)));
  m_window->setEnabled(brush.kind != MaskKind::None);
  const bool random = brush.kind == MaskKind::Random, soft = brush.kind == MaskKind::Soft;
  for (QWidget* widget : {static_cast<QWidget*>(m_alphaLabel), static_cast<QWidget*>(m_alpha),
                          static_cast<QWidget*>(m_alphaValue)}) {
    widget->setVisible(!random);
    widget->setEnabled(soft);
  }
  m_seedLabel->setVisible(random);
  m_seed->setVisible(random);
}

void BrushEditor::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  for (QAbstractButton* button : m_kinds->buttons())
    button->setIcon(maskSwatch(static_cast<MaskKind>(m_kinds->id(button)), palette()));
}

}  // namespace headlight
