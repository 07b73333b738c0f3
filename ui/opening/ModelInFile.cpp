// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/ModelInFile.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/SanitizedText.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

QString tensorCount(std::size_t tensors) {
  return tensors == 1 ? ModelInFileDialog::tr("1 tensor")
                      : ModelInFileDialog::tr("%1 tensors").arg(tensors);
}

QListWidgetItem* makeItem(const LoadReport::Choice& choice) {
  const QString text =
      QStringLiteral("%1 (%2)").arg(displayName(choice.name), tensorCount(choice.tensors));
  auto* item =
      new QListWidgetItem(choice.taken ? ModelInFileDialog::tr("%1, in use").arg(text) : text);
  item->setData(Qt::UserRole, QString::fromStdString(choice.name));
  return item;
}

}  // namespace

ModelInFileDialog::ModelInFileDialog(const std::vector<LoadReport::Choice>& choices,
                                     const QString& fileName, QWidget* parent)
    : QDialog(parent), m_list(new QListWidget(this)) {
  setObjectName(QStringLiteral("modelInFileDialog"));
  setWindowTitle(tr("Choose a model"));
  auto* layout = new QVBoxLayout(this);
  auto* title = new QLabel(tr("“%1” holds several models.").arg(fileName), this);
  title->setWordWrap(true);
  layout->addWidget(title);
  m_list->setObjectName(QStringLiteral("modelsInFile"));
  m_list->setAccessibleName(tr("Models in the file"));
  for (const LoadReport::Choice& choice : choices) {
    m_list->addItem(makeItem(choice));
    if (choice.taken) m_list->setCurrentRow(m_list->count() - 1);
  }
  layout->addWidget(m_list);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  buttons->addButton(tr("Use"), QDialogButtonBox::AcceptRole)->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_list, &QListWidget::itemActivated, this, &QDialog::accept);
  layout->addWidget(buttons);
}

QString ModelInFileDialog::chosen() const {
  const QListWidgetItem* item = m_list->currentItem();
  return item ? item->data(Qt::UserRole).toString() : QString();
}

void askForModelInFile(const std::vector<LoadReport::Choice>& choices, const QString& fileName,
                       QWidget* parent, std::function<void(const QString& name)> take) {
  auto* dialog = new ModelInFileDialog(choices, fileName, parent);
  dialogs().show(dialog, [dialog, taken = takenModel(choices), take = std::move(take)](int result) {
    const QString chosen = dialog->chosen();
    if (result == QDialog::Accepted && !chosen.isEmpty() && chosen != taken) take(chosen);
  });
}

QString takenModel(const std::vector<LoadReport::Choice>& choices) {
  for (const LoadReport::Choice& choice : choices)
    if (choice.taken) return QString::fromStdString(choice.name);
  return {};
}

}  // namespace headlight
