// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/WarningLog.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QListWidget>
#include <QVBoxLayout>

#include "ui/base/SanitizedText.h"

namespace headlight {

void WarningLog::clear() {
  *this = {};
}

void WarningLog::add(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    if (m_kept.size() < kKept)
      m_kept << displayName(warning);
    else
      ++m_dropped;
  }
}

QDialog* WarningLog::makeDialog(QWidget* parent) const {
  auto* dialog = new QDialog(parent);
  dialog->setObjectName(QStringLiteral("warningsDialog"));
  dialog->setWindowTitle(QObject::tr("Training warnings"));
  dialog->resize(560, 360);
  auto* list = new QListWidget(dialog);
  list->setObjectName(QStringLiteral("warningList"));
  list->setAccessibleName(dialog->windowTitle());
  list->setWordWrap(true);
  list->addItems(m_kept);
  if (m_dropped > 0) list->addItem(QObject::tr("and %1 more").arg(m_dropped));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(list);
  layout->addWidget(buttons);
  return dialog;
}

}  // namespace headlight
