// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FigureDialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

namespace headlight {
namespace {

QSpinBox* addNumber(QFormLayout* form, const QString& title, const QString& name, int least,
                    int most, const QString& unit, const QString& tip) {
  auto* box = new QSpinBox(form->parentWidget());
  box->setObjectName(name);
  box->setRange(least, most);
  box->setSuffix(QLatin1Char(' ') + unit);
  box->setToolTip(tip);
  form->addRow(title, box);
  return box;
}

}  // namespace

FigureDialog::FigureDialog(const FigureRequest& request, QWidget* parent)
    : QDialog(parent), m_request(request) {
  setObjectName(QStringLiteral("figureDialog"));
  setWindowTitle(tr("Export figure"));
  auto* form = new QFormLayout(this);
  m_title = new QLineEdit(request.title, this);
  m_title->setObjectName(QStringLiteral("figureTitle"));
  m_title->setToolTip(tr("Shown above the figure; empty: no title"));
  m_title->setMinimumWidth(320);
  form->addRow(tr("&Title"), m_title);
  m_width = addNumber(form, tr("&Width"), QStringLiteral("figureWidth"), kLeastFigureWidth,
                      kMostFigureWidth, tr("pixels"), tr("Width of a PNG; the height follows"));
  m_dpi = addNumber(form, tr("&Resolution"), QStringLiteral("figureDpi"), kLeastFigureDpi,
                    kMostFigureDpi, tr("dpi"),
                    tr("Pixels per inch. A higher value makes the figure smaller on paper and its "
                       "text larger in pixels"));
  m_width->setValue(request.widthPixels);
  m_dpi->setValue(request.dpi);
  m_legend = new QCheckBox(tr("&Caption and scale below the figure"), this);
  m_legend->setObjectName(QStringLiteral("figureLegend"));
  m_legend->setChecked(request.legend);
  form->addRow(QString(), m_legend);
  m_size = new QLabel(this);
  m_size->setObjectName(QStringLiteral("figureSize"));
  form->addRow(tr("On paper"), m_size);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->addButton(tr("Save As…"), QDialogButtonBox::AcceptRole)
      ->setObjectName(QStringLiteral("saveFigure"));
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  for (QSpinBox* box : {m_width, m_dpi})
    connect(box, &QSpinBox::valueChanged, this, &FigureDialog::showSize);
  showSize();
}

void FigureDialog::showSize() {
  constexpr double kCentimetresPerInch = 2.54;
  const double inches = static_cast<double>(m_width->value()) / m_dpi->value();
  m_size->setText(tr("%1 cm wide, 9-point text").arg(kCentimetresPerInch * inches, 0, 'f', 1));
}

FigureRequest FigureDialog::request() const {
  FigureRequest request = m_request;
  request.title = m_title->text().trimmed();
  request.widthPixels = m_width->value();
  request.dpi = m_dpi->value();
  request.legend = m_legend->isChecked();
  return request;
}

}  // namespace headlight
