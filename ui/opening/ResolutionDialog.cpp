// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/ResolutionDialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "core/workbench/loading/Resolution.h"
#include "ui/base/CoreText.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

ResolutionDialog::ResolutionDialog(const ModelConfig& model, QWidget* parent)
    : QDialog(parent),
      m_model(model),
      m_height(makeSide(tr("Height in pixels"), model.imageHeightPixels())),
      m_width(makeSide(tr("Width in pixels"), model.imageWidthPixels())),
      m_square(new QCheckBox(tr("&Square"), this)),
      m_dropAlpha(new QCheckBox(tr("&Drop the alpha channel of transparent images"), this)),
      m_cost(new MessageLabel(this)),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this)) {
  setObjectName(QStringLiteral("resolutionDialog"));
  setWindowTitle(tr("Resolution"));
  m_dropAlpha->setObjectName(QStringLiteral("dropAlpha"));
  m_dropAlpha->setToolTip(
      tr("Off: transparent pixels are put on white. On: their stored colors are used, as in timm"));
  m_dropAlpha->setChecked(model.transparency == "drop");
  m_square->setChecked(m_height->value() == m_width->value());
  auto* form = new QFormLayout;
  form->addRow(tr("&Height"), m_height);
  form->addRow(tr("&Width"), m_width);
  form->addRow(QString(), m_square);
  form->addRow(QString(), m_dropAlpha);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addWidget(m_cost);
  layout->addStretch();
  layout->addWidget(m_buttons);
  connect(m_height, &QSpinBox::valueChanged, this, &ResolutionDialog::refresh);
  connect(m_width, &QSpinBox::valueChanged, this, &ResolutionDialog::refresh);
  connect(m_square, &QCheckBox::toggled, this, &ResolutionDialog::refresh);
  connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  setMinimumWidth(fontMetrics().averageCharWidth() * 60);
  refresh();
  m_height->setFocus();
  m_height->selectAll();
}

QSpinBox* ResolutionDialog::makeSide(const QString& name, int value) {
  constexpr int kLeast = 8, kMost = 4096;
  auto* side = new QSpinBox(this);
  side->setAccessibleName(name);
  side->setRange(kLeast, kMost);
  side->setSingleStep(m_model.patchSize);
  side->setSuffix(tr(" px"));
  side->setValue(value);
  return side;
}

int ResolutionDialog::imageHeight() const {
  return m_height->value();
}

int ResolutionDialog::imageWidth() const {
  return m_square->isChecked() ? m_height->value() : m_width->value();
}

std::string ResolutionDialog::transparency() const {
  return m_dropAlpha->isChecked() ? "drop" : "white";
}

QString ResolutionDialog::costText() const {
  return m_cost->text();
}

void ResolutionDialog::refresh() {
  m_width->setEnabled(!m_square->isChecked());
  if (m_square->isChecked()) m_width->setValue(m_height->value());
  const auto cost = resolutionCost(m_model, imageHeight(), imageWidth());
  m_buttons->button(QDialogButtonBox::Ok)->setEnabled(cost.ok());
  if (cost)
    m_cost->setMessage(coreText(resolutionText(m_model, *cost)));
  else
    m_cost->setMessage(QString::fromStdString(cost.error().message), MessageLabel::Tone::Problem);
}

}  // namespace headlight
