// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models that lie on this computer, to open one: a list that fills while they are looked for.
// Accepted means: open chosen().

#include <QDialog>
#include <QHash>

#include <optional>
#include <vector>

#include "core/workbench/hub/ModelFolders.h"
#include "core/workbench/loading/LocalModels.h"
#include "ui/bridge/LocalModelsBridge.h"

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace headlight {

class MessageLabel;

class LocalModelsDialog : public QDialog {
  Q_OBJECT
 public:
  /// `places`: without its folders, which `folders` knows.
  LocalModelsDialog(const LocalPlaces& places, ModelFolders folders, QWidget* parent = nullptr);
  /// The models in this folder alone.
  explicit LocalModelsDialog(const std::filesystem::path& folder, QWidget* parent = nullptr);

  /// Nothing where what is chosen cannot be opened.
  std::optional<LocalModel> chosen() const;
  bool isSearching() const { return m_bridge.isSearching(); }
  void accept() override;  ///< nothing happens where nothing can be opened

 protected:
  void changeEvent(QEvent* event) override;

 private:
  LocalModelsDialog(std::filesystem::path only, LocalPlaces places, ModelFolders folders,
                    QWidget* parent);
  void makeList();
  QWidget* makeFolderRow();
  void search();
  void add(const LocalModelsBridge::Batch& models);
  void paint(QTreeWidgetItem* item, const LocalModel& model) const;
  void filter();
  void refresh();
  void reportCount();
  void askForFolder();
  void fillFolders();
  const LocalModel* current() const;
  const LocalModel& modelOf(const QTreeWidgetItem* item) const;

  std::filesystem::path m_only;  ///< empty: all places
  LocalPlaces m_places;
  ModelFolders m_folders;
  std::vector<LocalModel> m_models;
  qulonglong m_leftOut = 0;
  QLineEdit* m_filter = nullptr;
  QTreeWidget* m_list = nullptr;
  QLabel* m_count = nullptr;
  MessageLabel* m_details = nullptr;
  QPushButton *m_add = nullptr, *m_remove = nullptr;
  QMenu* m_menu = nullptr;
  QDialogButtonBox* m_buttons = nullptr;
  LocalModelsBridge m_bridge;  // last: joined first
};

}  // namespace headlight
