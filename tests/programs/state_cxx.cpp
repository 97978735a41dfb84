// What libstdc++ and C++ programs keep: streams, statics, thread-local objects, exceptions.
#include "state.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <locale>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
#include <unistd.h>

static int rank_;

struct Noisy {
  std::string name;
  explicit Noisy(std::string name) : name(std::move(name)) {
    std::cout << "built " << this->name << '\n';
  }
  ~Noisy() { std::cout << "gone " << name << ' ' << rank_ << '\n'; }
};

static Noisy global("global");
static std::map<std::string, int> counts = {{"one", 1}, {"two", 2}};
static thread_local Noisy local("thread's");

static Noisy &once() {
  static Noisy it("static in a function");
  return it;
}

static void thrower(int depth) {
  std::string guard(20 + depth, 'x');
  if (depth == 0) throw std::runtime_error("thrown by " + std::to_string(rank_));
  thrower(depth - 1);
}

int main() {
  rank_ = state_rank();
  std::cout << std::setw(6) << std::setfill('.') << rank_ << std::hex << ' ' << 255 + rank_
            << std::dec << '\n';
  counts["rank"] = rank_;
  for (auto &[word, count] : counts) std::cout << word << '=' << count << '\n';
  once().name += "!";
  local.name += std::to_string(rank_);
  std::thread([] { local.name += " second"; std::cout << local.name << '\n'; }).join();
  for (int i = 0; i < 20; i++) {
    try {
      thrower(i);
    } catch (const std::exception &caught) {
      if (i % 10 == 0) std::cout << caught.what() << std::endl;
    }
    usleep(100);
  }
  std::string name = "cxx." + std::to_string(rank_);
  { std::ofstream(name) << "line of " << rank_ << "\nsecond\n"; }
  std::ifstream back(name);
  for (std::string line; std::getline(back, line);) std::cout << line << '\n';
  std::stringstream text;
  text.imbue(std::locale::classic());
  text << std::fixed << std::setprecision(2) << rank_ / 7.0;
  std::cout << text.str() << ' ' << std::regex_replace("a-b-c", std::regex("-"), "+") << '\n';
  std::mt19937 engine(rank_);
  std::vector<std::unique_ptr<int>> many;
  for (int i = 0; i < 1000; i++) many.push_back(std::make_unique<int>(engine() % 100));
  long sum = 0;
  for (auto &each : many) sum += *each;
  std::cout << sum << '\n';
  printf("by printf, in order\n");
  std::cout << "by cout, after it\n";
  std::cerr << "to cerr " << rank_ << '\n';
  std::clog << "to clog " << rank_ << '\n';
  std::ios::sync_with_stdio(false);
  std::string word;
  int number = -1;
  std::cin >> number >> word;
  std::cout << "read " << number << ' ' << word << ' ' << std::cin.eof() << std::endl;
  std::wstring wide = L"wide";
  std::cout << wide.size() << '\n';
  std::cout.flush();
  std::ofstream("/dev/null") << 1;
  return 0;
}
