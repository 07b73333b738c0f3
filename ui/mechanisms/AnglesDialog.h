// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The explorer of Castling-ViT's angular kernel: kernels over the angle with the image's own
// queries and keys, these on the sphere, and a network that fits it. Not modal: it follows the window.

#include <QDialog>

class QPushButton;
class QTabWidget;

namespace headlight {

class AnglesPage;
class AngularFitPage;
class Document;
class ModelWorker;
class MessageLabel;
class SpherePage;

class AnglesDialog : public QDialog {
  Q_OBJECT
 public:
  AnglesDialog(Document* document, ModelWorker* inference, QWidget* parent = nullptr);

  AnglesPage* angles() const { return m_angles; }
  SpherePage* sphere() const { return m_sphere; }
  AngularFitPage* fit() const { return m_fit; }
  QTabWidget* pages() const { return m_pages; }
  /// The page shown.
  void save(const QString& path);

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeButtons();
  void choosePath();
  void refresh();
  QString fileName() const;

  QTabWidget* m_pages;
  AnglesPage* m_angles;
  SpherePage* m_sphere;
  AngularFitPage* m_fit;
  MessageLabel* m_status;
  QPushButton* m_export = nullptr;
};

}  // namespace headlight
