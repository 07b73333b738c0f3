// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a masked autoencoder makes of the open image: what it sees, what it reconstructs, the original
// and where a kept token looks, beside each other. Follows the image and the model; not modal.

#include <QDialog>

#include <optional>

#include "core/workbench/pretraining/Reconstruction.h"
#include "ui/base/BackgroundTask.h"

class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace headlight {

class Document;
class MessageLabel;
class ModelWorker;

/// Why the open model reconstructs no images; empty if it does.
QString whyNotReconstructed(const Document& document);

class ReconstructionDialog : public QDialog {
  Q_OBJECT
 public:
  ReconstructionDialog(const Document* document, ModelWorker* inference, QWidget* parent = nullptr);

  /// Of the open image and model with the chosen share, seed and layer; empty while there is none.
  const std::optional<Reconstruction>& reconstruction() const { return m_reconstruction; }
  /// Where the chosen token looks among the kept ones; empty while there is nothing.
  const std::optional<DrawnKeptMap>& attention() const { return m_drawn; }
  /// The token that looks, of the whole grid; one that is dropped changes nothing.
  void setQuery(int token);
  void saveAs(const QString& path);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  /// A click on a kept patch of the images makes it look.
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  using Rebuilt = Result<Reconstruction>;
  QWidget* makeFields();
  QWidget* makeImages();
  QWidget* makeButtons();
  void onModel();
  void run();
  void draw();
  void clickAt(const QLabel& image, const QPointF& place);
  void take(const Rebuilt& rebuilt);
  void fill();
  void save();

  const Document* m_document;
  ModelWorker* m_inference;
  std::optional<Reconstruction> m_reconstruction;
  std::optional<DrawnKeptMap> m_drawn;
  int m_query = 0;
  QDoubleSpinBox* m_ratio = nullptr;
  QSpinBox *m_seed = nullptr, *m_layer = nullptr, *m_head = nullptr;
  QLabel *m_masked = nullptr, *m_rebuilt = nullptr, *m_original = nullptr, *m_attention = nullptr;
  QLabel *m_loss, *m_caption;
  MessageLabel* m_status;
  QPushButton* m_save = nullptr;
  BackgroundTask m_task;
};

}  // namespace headlight
