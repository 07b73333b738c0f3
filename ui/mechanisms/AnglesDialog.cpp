// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mechanisms/AnglesDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QHideEvent>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/bridge/AnglesBridge.h"
#include "ui/document/Folders.h"
#include "ui/mechanisms/AnglesPage.h"
#include "ui/mechanisms/AngularFitPage.h"
#include "ui/mechanisms/SpherePage.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

AnglesDialog::AnglesDialog(Document* document, ModelWorker* inference, QWidget* parent)
    : QDialog(parent),
      m_pages(new QTabWidget(this)),
      m_angles(new AnglesPage(document, new AnglesBridge(document, inference, this), this)),
      m_sphere(new SpherePage(document, m_angles->bridge(), this)),
      m_fit(new AngularFitPage(this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("anglesDialog"));
  setWindowTitle(tr("Angular kernel"));
  resize(960, 700);
  m_pages->setObjectName(QStringLiteral("anglesPages"));
  m_pages->addTab(m_angles, tr("&Kernels and angles"));
  m_pages->addTab(m_fit, tr("A &network's fit"));
  m_pages->addTab(m_sphere, tr("&On the sphere"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_pages, 1);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  connect(m_pages, &QTabWidget::currentChanged, this, &AnglesDialog::refresh);
  connect(m_fit, &AngularFitPage::changed, this, &AnglesDialog::refresh);
  connect(m_sphere, &SpherePage::changed, this, &AnglesDialog::refresh);
  refresh();
}

QWidget* AnglesDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_export = addDialogButton(buttons, tr("E&xport…"), "anglesExport");
  // Enter accepts a typed value and does not close the dialog.
  buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
  connect(m_export, &QPushButton::clicked, this, &AnglesDialog::choosePath);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

/// A hidden dialog computes nothing and keeps no queries and keys.
void AnglesDialog::hideEvent(QHideEvent* event) {
  QDialog::hideEvent(event);
  if (!event->spontaneous()) m_angles->bridge()->forget();
}

void AnglesDialog::refresh() {
  const QWidget* page = m_pages->currentWidget();
  QString why;
  if (page == m_fit && !m_fit->result()) why = tr("Press Fit first");
  if (page == m_sphere && !m_sphere->table()) why = tr("There is nothing on the sphere yet");
  setUsable(m_export, tr("Save this page as PDF, SVG or PNG, or its numbers as CSV"), why);
}

QString AnglesDialog::fileName() const {
  if (m_pages->currentWidget() == m_angles) return QStringLiteral("angles.pdf");
  return m_pages->currentWidget() == m_fit ? QStringLiteral("angular-fit.pdf")
                                           : QStringLiteral("sphere.pdf");
}

void AnglesDialog::choosePath() {
  askWhereToSave(this, tr("Export the figure"), QDir(figureFolder()).filePath(fileName()),
                 tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Numbers (*.csv)"),
                 [this](const QString& path) { save(path); });
}

void AnglesDialog::save(const QString& path) {
  if (m_pages->currentWidget() == m_angles)
    m_angles->save(path, m_status);
  else if (m_pages->currentWidget() == m_fit)
    m_fit->save(path, m_status);
  else
    m_sphere->save(path, m_status);
  rememberWritten(path);
}

}  // namespace headlight
