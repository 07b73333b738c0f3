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
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

AnglesDialog::AnglesDialog(Document* document, ModelWorker* inference, QWidget* parent)
    : QDialog(parent),
      m_pages(new QTabWidget(this)),
      m_angles(new AnglesPage(document, new AnglesBridge(document, inference, this), this)),
      m_fit(new AngularFitPage(this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("anglesDialog"));
  setWindowTitle(tr("Angular kernel"));
  resize(960, 700);
  m_pages->setObjectName(QStringLiteral("anglesPages"));
  m_pages->addTab(m_angles, tr("&Kernels and angles"));
  m_pages->addTab(m_fit, tr("A &network's fit"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_pages, 1);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  connect(m_pages, &QTabWidget::currentChanged, this, &AnglesDialog::refresh);
  connect(m_fit, &AngularFitPage::changed, this, &AnglesDialog::refresh);
  refresh();
}

QWidget* AnglesDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_export = buttons->addButton(tr("E&xport…"), QDialogButtonBox::ActionRole);
  m_export->setObjectName(QStringLiteral("anglesExport"));
  m_export->setToolTip(tr("Save this page as PDF, SVG or PNG, or its numbers as CSV"));
  // Enter accepts a typed value and does not close the dialog.
  for (QAbstractButton* button : buttons->buttons())
    qobject_cast<QPushButton*>(button)->setAutoDefault(false);
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
  m_export->setEnabled(m_pages->currentWidget() == m_angles || m_fit->result());
}

void AnglesDialog::choosePath() {
  const QString name = m_pages->currentWidget() == m_angles ? QStringLiteral("angles.pdf")
                                                            : QStringLiteral("angular-fit.pdf");
  askWhereToSave(this, tr("Export the figure"), QDir(figureFolder()).filePath(name),
                 tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Numbers (*.csv)"),
                 [this](const QString& path) { save(path); });
}

void AnglesDialog::save(const QString& path) {
  if (m_pages->currentWidget() == m_angles)
    m_angles->save(path, m_status);
  else
    m_fit->save(path, m_status);
  rememberWritten(path);
}

}  // namespace headlight
