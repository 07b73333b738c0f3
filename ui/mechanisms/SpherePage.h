// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The queries and keys of the layer and head shown, and their image on the circle or the sphere.

#include <QWidget>

#include <memory>

#include "core/workbench/mechanisms/SphereImage.h"
#include "ui/base/BackgroundTask.h"

class QComboBox;
class QLabel;

namespace headlight {

class AnglesBridge;
class Document;
class MessageLabel;
class SphereImageView;

class SpherePage : public QWidget {
  Q_OBJECT
 public:
  SpherePage(const Document* document, AnglesBridge* bridge, QWidget* parent = nullptr);

  SphereImageView* view() const { return m_view; }
  /// Of the image, layer, head and token shown; null: none yet.
  std::shared_ptr<const SphereTable> table() const { return m_table; }
  QString stateText() const;
  /// Writes the figure or its numbers, like headlight-cli angles --sphere.
  void save(const QString& path, MessageLabel* status) const;

 Q_SIGNALS:
  void changed();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Answer;
  QLayout* makeFields();
  SphereOptions options() const;
  QString subject() const;
  void request();
  void follow();
  void take(const Answer& answer);
  void forget();
  void refresh();

  const Document* m_document;
  AnglesBridge* m_bridge;
  QComboBox *m_dimensions, *m_heads;
  QLabel* m_state;
  SphereImageView* m_view;
  std::shared_ptr<const ImagePairs> m_pairs;  ///< that the table is of, or that is asked about
  SphereOptions m_asked;
  std::shared_ptr<const SphereTable> m_table;
  QString m_error;
  BackgroundTask m_task;
};

}  // namespace headlight
