// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/SchemesDialog.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/masks/SchemeImage.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr QSize kSmall(48, 48), kLarge(260, 260);
constexpr int kNameRole = Qt::UserRole, kSavedRole = Qt::UserRole + 1;

QString freeName(const SchemeLibrary& shelf, const QString& wanted) {
  QString name = wanted;
  for (int i = 2; shelf.has(name.toStdString()); ++i)
    name = QStringLiteral("%1 %2").arg(wanted).arg(i);
  return name;
}

}  // namespace

SchemesDialog::SchemesDialog(Document* document, const SchemeLibrary& shelf, QWidget* parent)
    : QDialog(parent), m_document(document), m_shelf(shelf) {
  setObjectName(QStringLiteral("schemesDialog"));
  setWindowTitle(tr("Mask schemes"));
  resize(720, 520);
  m_list = new QListWidget(this);
  m_list->setObjectName(QStringLiteral("schemeList"));
  m_list->setAccessibleName(tr("Schemes"));
  m_list->setIconSize(kSmall);
  m_image = new QLabel(this);
  m_image->setAccessibleName(tr("Heads whose mask the scheme changes"));
  m_words = new QLabel(this);
  m_words->setObjectName(QStringLiteral("schemeWords"));
  m_words->setTextFormat(Qt::PlainText);
  m_words->setWordWrap(true);
  m_message = new MessageLabel(this);
  auto* buttons = new QVBoxLayout;
  m_apply =
      addButton(QStringLiteral("schemeApply"), tr("&Use it"),
                tr("Apply this scheme; undo restores the present masks"), &SchemesDialog::apply);
  m_save =
      addButton(QStringLiteral("schemeSave"), tr("&Save the present masks"),
                tr("Save them under a name that you can edit right away"), &SchemesDialog::askName);
  m_rename = addButton(QStringLiteral("schemeRename"), tr("Re&name"),
                       tr("Rename a saved scheme (F2)"), &SchemesDialog::rename);
  m_remove = addButton(QStringLiteral("schemeRemove"), tr("&Delete"),
                       tr("Delete a saved scheme; it can be restored"), &SchemesDialog::remove);
  m_back = addButton(QStringLiteral("schemeBack"), tr("&Restore"),
                     tr("Restore the scheme that was deleted last"), &SchemesDialog::bringBack);
  m_import = addButton(QStringLiteral("schemeImport"), tr("&Import…"),
                       tr("Import from a scheme, a config, a checkpoint or a run's config"),
                       &SchemesDialog::import);
  for (QPushButton* button : {m_apply, m_save, m_rename, m_remove, m_back, m_import})
    buttons->addWidget(button);
  buttons->addStretch(1);
  auto* close = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(close, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QGridLayout(this);
  layout->addWidget(m_list, 0, 0, 3, 1);
  layout->addWidget(m_image, 0, 1);
  layout->addWidget(m_words, 1, 1);
  layout->addLayout(buttons, 2, 1);
  layout->addWidget(m_message, 3, 0, 1, 2);
  layout->addWidget(close, 4, 0, 1, 2);
  layout->setColumnStretch(0, 1);
  connect(m_list, &QListWidget::currentRowChanged, this, &SchemesDialog::refresh);
  connect(m_list, &QListWidget::itemActivated, this, &SchemesDialog::apply);
  connect(m_list, &QListWidget::itemChanged, this, &SchemesDialog::onRenamed);
  list();
}

QPushButton* SchemesDialog::addButton(const QString& name, const QString& text, const QString& tip,
                                      void (SchemesDialog::*run)()) {
  auto* button = new QPushButton(text, this);
  button->setObjectName(name);
  button->setToolTip(tip);
  button->setAutoDefault(false);
  connect(button, &QPushButton::clicked, this, run);
  return button;
}

void SchemesDialog::list(const QString& chosen) {
  m_listing = true;
  m_list->clear();
  if (const auto names = m_shelf.names())
    for (const std::string& name : *names)
      addItem(QString::fromStdString(name), true);
  else
    m_message->setMessage(QString::fromStdString(names.error().text()),
                          MessageLabel::Tone::Problem);
  for (const std::string& name : maskPresetNames())
    addItem(QString::fromStdString(name), false);
  m_listing = false;
  int row = 0;
  for (int i = 0; i < m_list->count(); ++i)
    if (m_list->item(i)->data(kNameRole).toString() == chosen) row = i;
  m_list->setCurrentRow(row);
  refresh();
}

void SchemesDialog::addItem(const QString& name, bool saved) {
  auto* item = new QListWidgetItem(saved ? name : tr("%1 (published)").arg(name), m_list);
  item->setData(kNameRole, name);
  item->setData(kSavedRole, saved);
  if (saved) item->setFlags(item->flags() | Qt::ItemIsEditable);
  const auto scheme = masksNamed(name.toStdString(), m_document->inputs().masks().shape(), m_shelf);
  if (scheme)
    item->setIcon(QPixmap::fromImage(schemeImage(*scheme, kSmall, palette())));
  else
    item->setToolTip(plainToolTip(QString::fromStdString(scheme.error().text())));
}

QString SchemesDialog::chosenName() const {
  const QListWidgetItem* item = m_list->currentItem();
  return item ? item->data(kNameRole).toString() : QString();
}

bool SchemesDialog::chosenIsSaved() const {
  const QListWidgetItem* item = m_list->currentItem();
  return item && item->data(kSavedRole).toBool();
}

std::optional<MaskScheme> SchemesDialog::chosen() const {
  if (chosenName().isEmpty()) return std::nullopt;
  auto scheme =
      masksNamed(chosenName().toStdString(), m_document->inputs().masks().shape(), m_shelf);
  return scheme ? std::optional(*scheme) : std::nullopt;
}

void SchemesDialog::refresh() {
  if (m_listing) return;
  const auto scheme = chosen();
  m_apply->setEnabled(scheme.has_value());
  m_rename->setEnabled(chosenIsSaved());
  m_remove->setEnabled(chosenIsSaved());
  m_back->setVisible(m_removed.has_value());
  if (!scheme) {
    m_image->clear();
    m_words->setText(chosenName().isEmpty() ? tr("No scheme is chosen.")
                                            : tr("The scheme does not fit this model."));
    return;
  }
  const MaskScheme& now = m_document->inputs().masks();
  m_image->setPixmap(QPixmap::fromImage(differenceImage(now, *scheme, kLarge, palette())));
  const auto edit = makeMaskEdit(now, *scheme, "");
  m_words->setText(tr("%1 heads masked. It changes the masks of %2 heads, which are bright; "
                      "removed masks are crossed out.")
                       .arg(scheme->maskedHeads())
                       .arg(edit ? edit->changes.size() : 0));
}

void SchemesDialog::apply() {
  const auto scheme = chosen();
  if (!scheme) return;
  auto edit = makeMaskEdit(m_document->inputs().masks(), *scheme,
                           tr("scheme %1").arg(chosenName()).toStdString());
  if (edit) m_document->inputs().pushEdit(*edit);
  refresh();
}

void SchemesDialog::notify(const Result<void>& done, const QString& well) {
  if (done)
    m_message->setMessage(well, MessageLabel::Tone::Plain);
  else
    m_message->setMessage(QString::fromStdString(done.error().text()), MessageLabel::Tone::Problem);
}

void SchemesDialog::saveAs(const QString& name) {
  const auto saved = m_shelf.save(name.toStdString(), describeMasks(m_document->inputs().masks()));
  list(name);
  notify(saved, tr("Saved as “%1”.").arg(name));
}

/// Under a name that is free, which is then edited in place.
void SchemesDialog::askName() {
  QString name = QString::fromStdString(m_document->inputs().masks().name());
  name.remove(QLatin1Char('*'));
  if (!checkSchemeName(name.toStdString())) name = tr("scheme");
  saveAs(freeName(m_shelf, name));
  rename();
}

void SchemesDialog::rename() {
  if (chosenIsSaved()) m_list->editItem(m_list->currentItem());
}

void SchemesDialog::onRenamed(QListWidgetItem* item) {
  const QString before = item->data(kNameRole).toString(), after = item->text();
  if (m_listing || !item->data(kSavedRole).toBool() || before == after) return;
  const auto renamed = m_shelf.rename(before.toStdString(), after.toStdString());
  // Behind the editor, which still looks at the item.
  QMetaObject::invokeMethod(
      this,
      [this, renamed, before, after] {
        list(renamed ? after : before);
        notify(renamed, tr("“%1” was renamed to “%2”.").arg(before, after));
      },
      Qt::QueuedConnection);
}

void SchemesDialog::remove() {
  const std::string name = chosenName().toStdString();
  const auto masks = m_shelf.read(name);
  const auto removed = m_shelf.remove(name);
  if (removed && masks) m_removed = Removed{name, *masks};
  list();
  notify(removed, tr("“%1” was deleted.").arg(QString::fromStdString(name)));
}

void SchemesDialog::bringBack() {
  if (!m_removed) return;
  const Removed removed = *m_removed;
  const auto saved = m_shelf.save(removed.name, removed.masks);
  if (saved) m_removed.reset();
  list(QString::fromStdString(removed.name));
  notify(saved, tr("“%1” was restored.").arg(QString::fromStdString(removed.name)));
}

void SchemesDialog::import() {
  FileQuestion question;
  question.title = tr("Import a mask scheme");
  question.filter = tr("Schemes, configs and checkpoints (*.json *.safetensors);;All files (*)");
  askForPath(this, question, [this](const QString& path) { importFrom(path); });
}

void SchemesDialog::importFrom(const QString& path) {
  const auto masks = masksIn(path.toStdString());
  if (!masks) return notify(masks.error(), {});
  QString name = displayName(QFileInfo(path).completeBaseName());
  if (!checkSchemeName(name.toStdString())) name = tr("imported");
  name = freeName(m_shelf, name);
  const auto saved = m_shelf.save(name.toStdString(), *masks);
  list(name);
  notify(saved, tr("Imported as “%1”.").arg(name));
}

}  // namespace headlight
