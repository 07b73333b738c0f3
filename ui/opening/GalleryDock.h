// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The content of the Gallery dock: thumbnails to choose from. Choosing, by mouse or arrow keys,
// opens the image; the one that is shown is the one that is marked.

#include <QList>
#include <QModelIndex>
#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;
class QListView;
class QSortFilterProxyModel;

namespace headlight {

class Document;
class GalleryModel;

class GalleryDock : public QWidget {
  Q_OBJECT
 public:
  GalleryDock(Document* document, GalleryModel* model, QWidget* parent = nullptr);

  QListView* view() const { return m_view; }
  /// Marks the image that is shown, and no other.
  void markShown();
  /// Chooses the neighbor of the present image; `by` is 1 or −1.
  void step(int by);
  /// Selects those of these images that are listed, and shows none. While they are selected, step(),
  /// arrow keys and clicks go from one of them to the next and leave them selected. Returns how many;
  /// without any the image that is shown is marked.
  int select(const QStringList& paths);
  /// The next and the previous image, for the File menu.
  const QList<QAction*>& commands() const { return m_commands; }

 Q_SIGNALS:
  void chosen(const QString& path);
  void addRequested();
  /// Feature PCA of these images, found together.
  void colorsRequested(const QStringList& paths);

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void showMenu(const QPoint& position);
  void filter(const QString& text);
  void count();
  void choose(const QModelIndex& index);
  void makeCommands();
  int neighbor(int row, int by) const;
  bool isSelected(int row) const;

  Document* m_document;
  GalleryModel* m_model;
  QSortFilterProxyModel* m_filtered;
  QListView* m_view;
  QLineEdit* m_filter;
  QLabel* m_count;
  bool m_walking = false;  ///< among the images of select(), until the selection is another
  QList<QAction*> m_commands;
};

}  // namespace headlight
