// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/EvaluationDataDialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QVBoxLayout>

#include "ui/evaluation/SampleFields.h"

namespace headlight {

EvaluationDataDialog::EvaluationDataDialog(const std::optional<ImageSample>& now,
                                           const ImageSample& proposed, QWidget* parent)
    : QDialog(parent),
      m_measure(new QCheckBox(tr("&Measure the effect of the masks after every edit"), this)),
      m_fields(new SampleFields(QStringLiteral("effect"), now.value_or(proposed), this)) {
  setObjectName(QStringLiteral("effectDataDialog"));
  setWindowTitle(tr("Choose evaluation data"));
  m_measure->setObjectName(QStringLiteral("effectMeasure"));
  m_measure->setChecked(true);
  connect(m_measure, &QCheckBox::toggled, m_fields, &QWidget::setEnabled);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_measure);
  layout->addWidget(m_fields);
  layout->addStretch(1);
  layout->addWidget(buttons);
}

std::optional<ImageSample> EvaluationDataDialog::sample() const {
  if (!m_measure->isChecked()) return std::nullopt;
  return m_fields->sample();
}

}  // namespace headlight
