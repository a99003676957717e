// oneTBB's flow graph: a continue_node a task, an edge for each task that it waits for. The graph is made once; an
// evaluation puts a message to the tasks that wait for none and waits for all. Threads are pinned to cores, as ours
// are, and the caller stays in the arena for all evaluations of a call.
#include <pthread.h>

#include <list>
#include <memory>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/version.h>

#include "flow.hpp"

namespace lw::peer {
namespace {

class Pins : public tbb::task_scheduler_observer {
 public:
  Pins(tbb::task_arena& arena, std::vector<int> cores) : tbb::task_scheduler_observer(arena), cores_(std::move(cores)) {
    observe(true);
  }
  ~Pins() override { observe(false); }
  void on_scheduler_entry(bool) override {
    const auto k = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (k >= cores_.size()) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cores_[k]), &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  }

 private:
  std::vector<int> cores_;
};

class TbbFlow : public Flow {
 public:
  explicit TbbFlow(const FlowDescription& d)
      : parallelism_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(d.thread_count)),
        arena_(d.thread_count),
        pins_(arena_, {d.cores, d.cores + d.thread_count}) {
    arena_.execute([&] {
      graph_ = std::make_unique<tbb::flow::graph>();
      std::vector<Node*> nodes;
      for (int t = 0; t < d.task_count; ++t) {
        nodes.push_back(&nodes_.emplace_back(*graph_, [this, run = d.tasks[t].run](const tbb::flow::continue_msg&) {
          run(shared_, inputs_, outputs_);
        }));
      }
      for (int t = 0; t < d.task_count; ++t) {
        const FlowTask& task = d.tasks[t];
        for (int k = 0; k < task.before_count; ++k)
          tbb::flow::make_edge(*nodes[static_cast<std::size_t>(task.before[k])], *nodes[static_cast<std::size_t>(t)]);
        if (task.before_count == 0) first_.push_back(nodes[static_cast<std::size_t>(t)]);
      }
    });
  }

  ~TbbFlow() override {
    arena_.execute([&] {
      graph_->wait_for_all();
      nodes_.clear();
      graph_.reset();
    });
  }

  void evaluate(int times, void* shared, const double* inputs, double* outputs) override {
    shared_ = shared;
    inputs_ = inputs;
    outputs_ = outputs;
    arena_.execute([&] {
      for (int k = 0; k < times; ++k) {
        for (Node* node : first_) node->try_put(tbb::flow::continue_msg());
        graph_->wait_for_all();
      }
    });
  }

 private:
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

  tbb::global_control parallelism_;
  tbb::task_arena arena_;
  Pins pins_;
  std::unique_ptr<tbb::flow::graph> graph_;
  std::list<Node> nodes_;
  std::vector<Node*> first_;
  void* shared_ = nullptr;
  const double* inputs_ = nullptr;
  double* outputs_ = nullptr;
};

Flow* make(const FlowDescription& d) { return new TbbFlow(d); }

}  // namespace

LINKWRIGHT_FLOW("oneTBB " TBB_VERSION_STRING, make)

}  // namespace lw::peer
