// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/LocalModelsDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/SanitizedText.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/ListKeys.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kIndexRole = Qt::UserRole;

QString fromPath(const std::filesystem::path& path) {
  return QString::fromStdString(path.string());
}

QString fileSize(std::uint64_t bytes) {
  return bytes == 0 ? QString()
                    : QLocale::c().formattedDataSize(static_cast<qint64>(bytes), 1,
                                                     QLocale::DataSizeSIFormat);
}

QString sourceName(const LocalModel& model) {
  switch (model.source) {
    case LocalModel::Source::Hub:
      return LocalModelsDialog::tr("Hugging Face");
    case LocalModel::Source::TorchHub:
      return LocalModelsDialog::tr("torch hub");
    case LocalModel::Source::Folder:
      break;
  }
  return LocalModelsDialog::tr("folder");
}

}  // namespace

LocalModelsDialog::LocalModelsDialog(const LocalPlaces& places, ModelFolders folders,
                                     QWidget* parent)
    : LocalModelsDialog({}, places, std::move(folders), parent) {}

LocalModelsDialog::LocalModelsDialog(const std::filesystem::path& folder, QWidget* parent)
    : LocalModelsDialog(folder, {}, ModelFolders({}), parent) {}

LocalModelsDialog::LocalModelsDialog(std::filesystem::path only, LocalPlaces places,
                                     ModelFolders folders, QWidget* parent)
    : QDialog(parent),
      m_only(std::move(only)),
      m_places(std::move(places)),
      m_folders(std::move(folders)) {
  setObjectName(QStringLiteral("localModelsDialog"));
  setWindowTitle(m_only.empty() ? tr("Models on this computer")
                                : tr("Models in %1").arg(displayName(fromPath(m_only))));
  resize(920, 560);
  makeList();
  m_details = new MessageLabel(this);
  m_details->setObjectName(QStringLiteral("localModelDetails"));
  m_buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
  m_buttons->button(QDialogButtonBox::Open)->setObjectName(QStringLiteral("openLocalModel"));
  connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_filter);
  layout->addWidget(m_list, 1);
  layout->addWidget(m_details);
  layout->addWidget(makeFolderRow());
  layout->addWidget(m_buttons);
  connect(&m_bridge, &LocalModelsBridge::found, this, &LocalModelsDialog::add);
  connect(&m_bridge, &LocalModelsBridge::ended, this, [this](qulonglong leftOut) {
    m_leftOut = leftOut;
    reportCount();
  });
  search();
  m_filter->setFocus();
}

void LocalModelsDialog::makeList() {
  m_filter = new QLineEdit(this);
  m_filter->setObjectName(QStringLiteral("localModelFilter"));
  m_filter->setPlaceholderText(tr("Search models"));
  m_filter->setAccessibleName(tr("Search models"));
  m_filter->setToolTip(
      tr("Search by name, architecture, tag or path; arrow keys move in the list, Enter opens"));
  m_filter->setClearButtonEnabled(true);
  connect(m_filter, &QLineEdit::textChanged, this, &LocalModelsDialog::filter);
  m_list = new QTreeWidget(this);
  new ListKeys(m_filter, m_list);
  m_list->setObjectName(QStringLiteral("localModelList"));
  m_list->setAccessibleName(tr("Models on this computer"));
  m_list->setHeaderLabels({tr("Model"), tr("Architecture"), tr("Tag"), tr("Size"), tr("Source")});
  m_list->setRootIsDecorated(false);
  m_list->setUniformRowHeights(true);
  m_list->header()->setStretchLastSection(false);
  m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  for (const int column : {1, 2, 3, 4})
    m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  connect(m_list, &QTreeWidget::currentItemChanged, this, &LocalModelsDialog::refresh);
  connect(m_list, &QTreeWidget::itemDoubleClicked, this, &LocalModelsDialog::accept);
}

QWidget* LocalModelsDialog::makeFolderRow() {
  auto* row = new QWidget(this);
  m_count = new QLabel(row);
  m_count->setObjectName(QStringLiteral("localModelCount"));
  m_count->setTextFormat(Qt::PlainText);
  m_add = iconButton(
      row, "addModelFolder", tr("&Add a folder…"), "add",
      tr("Add a folder with models; it is searched up to three levels deep and remembered"));
  m_remove = iconButton(row, "modelFolders", tr("&Folders"), "folder",
                        tr("Remove folders from the list; nothing on the disk changes"));
  m_menu = new QMenu(this);
  m_remove->setMenu(m_menu);
  for (QPushButton* button : {m_add, m_remove}) {
    button->setAutoDefault(false);
    button->setVisible(m_only.empty());
  }
  connect(m_add, &QPushButton::clicked, this, &LocalModelsDialog::askForFolder);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_count, 1);
  layout->addWidget(m_add);
  layout->addWidget(m_remove);
  return row;
}

void LocalModelsDialog::search() {
  m_list->clear();
  m_models.clear();
  m_leftOut = 0;
  m_places.folders = m_only.empty() ? m_folders.folders() : std::vector{m_only};
  if (m_only.empty()) fillFolders();
  m_bridge.poll(m_places);
  reportCount();
  refresh();
}

void LocalModelsDialog::add(const LocalModelsBridge::Batch& models) {
  m_list->setUpdatesEnabled(false);
  for (const LocalModel& model : models) {
    auto* item = new QTreeWidgetItem(
        m_list, {displayName(model.name), displayName(model.architecture), displayName(model.tag),
                 fileSize(model.bytes), sourceName(model)});
    item->setData(0, kIndexRole, static_cast<int>(m_models.size()));
    item->setTextAlignment(3, Qt::AlignRight | Qt::AlignVCenter);
    item->setHidden(!isFoundBy(model, m_filter->text().toStdString()));
    paint(item, model);
    m_models.push_back(model);
  }
  m_list->setUpdatesEnabled(true);
  reportCount();
  if (!m_list->currentItem()) filter();
}

void LocalModelsDialog::paint(QTreeWidgetItem* item, const LocalModel& model) const {
  const QString place = QDir::toNativeSeparators(fromPath(model.path));
  const QString why = QString::fromStdString(model.problem);
  const QColor color =
      palette().color(model.canOpen() ? QPalette::Active : QPalette::Disabled, QPalette::Text);
  for (int column = 0; column < m_list->columnCount(); ++column) {
    item->setForeground(column, color);
    item->setToolTip(column,
                     plainToolTip(why.isEmpty() ? place : place + QStringLiteral("\n") + why));
  }
  if (!model.canOpen())
    item->setData(0, Qt::AccessibleTextRole,
                  tr("%1, cannot be opened").arg(displayName(model.name)));
}

void LocalModelsDialog::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !m_list) return;
  for (int i = 0; i < m_list->topLevelItemCount(); ++i)
    paint(m_list->topLevelItem(i), modelOf(m_list->topLevelItem(i)));
}

/// Chooses the first that can be opened: what Enter opens is always seen.
void LocalModelsDialog::filter() {
  const std::string words = m_filter->text().toStdString();
  QTreeWidgetItem* first = nullptr;
  for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = m_list->topLevelItem(i);
    const LocalModel& model = modelOf(item);
    item->setHidden(!isFoundBy(model, words));
    if (!item->isHidden() && !first && model.canOpen()) first = item;
  }
  const QTreeWidgetItem* now = m_list->currentItem();
  if (!now || now->isHidden() || !modelOf(now).canOpen()) m_list->setCurrentItem(first);
  reportCount();
  refresh();
}

const LocalModel& LocalModelsDialog::modelOf(const QTreeWidgetItem* item) const {
  return m_models[static_cast<std::size_t>(item->data(0, kIndexRole).toInt())];
}

const LocalModel* LocalModelsDialog::current() const {
  const QTreeWidgetItem* item = m_list->currentItem();
  return item && !item->isHidden() ? &modelOf(item) : nullptr;
}

std::optional<LocalModel> LocalModelsDialog::chosen() const {
  const LocalModel* model = current();
  return model && model->canOpen() ? std::optional(*model) : std::nullopt;
}

void LocalModelsDialog::accept() {
  if (chosen()) QDialog::accept();
}

void LocalModelsDialog::refresh() {
  const LocalModel* model = current();
  m_buttons->button(QDialogButtonBox::Open)->setEnabled(chosen().has_value());
  if (!model) return m_details->clear();
  if (!model->canOpen())
    return m_details->setMessage(
        tr("%1: %2").arg(displayName(model->name),
                         shownText(QString::fromStdString(model->problem))),
        MessageLabel::Tone::Problem);
  const QString license =
      model->license.empty() ? QString() : tr(" · license %1").arg(displayName(model->license));
  m_details->setMessage(QDir::toNativeSeparators(displayName(fromPath(model->path))) + license,
                        MessageLabel::Tone::Quiet);
}

void LocalModelsDialog::reportCount() {
  const auto closed = std::count_if(m_models.begin(), m_models.end(),
                                    [](const LocalModel& model) { return !model.canOpen(); });
  QString text = m_bridge.isSearching() ? tr("Searching… %1 models so far").arg(m_models.size())
                                        : tr("%1 models").arg(m_models.size());
  if (m_models.empty() && !m_bridge.isSearching())
    text =
        tr("No models in the caches of Hugging Face and torch hub: add a folder, or get one "
           "(Model → Get a model…)");
  if (closed > 0) text += tr(", %1 cannot be opened").arg(closed);
  if (m_leftOut > 0)
    text += tr(", %1 entries skipped in folders that have too many").arg(m_leftOut);
  m_count->setText(text);
}

void LocalModelsDialog::askForFolder() {
  headlight::askForFolder(this, tr("Folder with models"), QDir::homePath(),
                          [this](const QString& folder) {
                            const auto added = m_folders.add(folder.toStdString());
                            if (added) return search();
                            m_details->setMessage(QString::fromStdString(added.error().text()),
                                                  MessageLabel::Tone::Problem);
                          });
}

void LocalModelsDialog::fillFolders() {
  m_menu->clear();
  for (const auto& folder : m_places.folders) {
    QString text = displayName(fromPath(folder)).replace(QLatin1Char('&'), QStringLiteral("&&"));
    m_menu->addAction(tr("Remove %1 from the list").arg(text), this, [this, folder] {
      const auto removed = m_folders.remove(folder);
      if (removed) return search();
      m_details->setMessage(QString::fromStdString(removed.error().text()),
                            MessageLabel::Tone::Problem);
    });
  }
  m_remove->setEnabled(!m_menu->isEmpty());
}

}  // namespace headlight
