//! A world for the machines of failure: members, messages under way, deaths, and a judge.
//!
//! Everything follows from a [`Plan`], so a seed replays a run exactly. Messages take their time,
//! keep their order between two members and have none otherwise; a member dies before, after or
//! amid what it sends; what it sent last may be lost; each other member notices it at a time of
//! its own, in one order for all or in any.

mod agree;
mod plan;
mod recover;
mod tests;

use ftmpi_base::agenda::Agenda;
use ftmpi_base::random::Random;
use plan::Plan;
use std::fmt::Debug;

/// Somebody who takes part.
trait Actor: Sized {
    type Note: Clone + Debug;

    /// A while has passed that he had asked for; the first one when he comes into the world.
    fn wake(&mut self, deed: &mut Deed<Self>);
    fn hear(&mut self, from: usize, note: Self::Note, deed: &mut Deed<Self>);
    /// Somebody is dead, or has left in peace.
    fn miss(&mut self, who: usize, has_left: bool, deed: &mut Deed<Self>);
}

/// Sees everything and says what is wrong.
trait Judge<A> {
    /// After a step of `who`, whom we may have lost right after it.
    fn watch(&mut self, who: usize, actor: &A, facts: &Facts) -> Result<(), String>;
    /// Nothing will happen any more; these live.
    fn close(&mut self, living: &[(usize, &A)], facts: &Facts) -> Result<(), String>;
}

/// What a step leads to.
struct Deed<A: Actor> {
    acts: Vec<Act<A>>,
    /// How many wakes are wanted.
    wakes: u32,
    has_left: bool,
}

/// What leaves a member, piece by piece.
enum Act<A: Actor> {
    Post(usize, A::Note),
    /// Let this one live; nothing happens if it does already, or has.
    Birth(usize, A),
}

/// What is true, whoever knows it.
#[derive(Default)]
struct Facts {
    dead: Vec<bool>,
    left: Vec<bool>,
    /// The dead in the order of their deaths.
    deaths: Vec<usize>,
    births: usize,
}

struct Sim<A: Actor> {
    plan: Plan,
    random: Random,
    agenda: Agenda<(u32, Event<A::Note>)>,
    /// What is due now, last first, with its source.
    due: Vec<(u32, Event<A::Note>)>,
    now: u32,
    nodes: Vec<Option<Node<A>>>,
    facts: Facts,
    /// By member: what of his last messages is lost.
    losses: Vec<Hush>,
    steps: u32,
    trace: u64,
    /// What happened, if somebody wants to read it.
    story: Option<Vec<String>>,
}

/// What became of a run.
struct Ending {
    verdict: Result<(), String>,
    plan: Plan,
    steps: u32,
    deaths: usize,
    /// Which of the [`SIGHTS`] were seen: one bit each.
    seen: u32,
    /// Two runs with the same trace were the same.
    trace: u64,
    story: Vec<String>,
}

/// What schedules are expected to lead to now and then.
const SIGHTS: [&str; 13] = [
    "coordinators die in turn",
    "one survives",
    "a decision lists the dead",
    "a decision excuses somebody",
    "all have acknowledged a death",
    "not all have acknowledged a death",
    "nobody has died",
    "a replacement dies before it has joined",
    "a recovery gives up",
    "a recovery falls back",
    "a recovery succeeds after it gave up",
    "a fifth generation",
    "somebody leaves while others recover",
];

/// The bit of one of the [`SIGHTS`].
fn sight(name: &str) -> u32 {
    1 << SIGHTS.iter().position(|&other| other == name).expect("sights are listed")
}

impl Ending {
    fn of<A: Actor>(sim: Sim<A>, verdict: Result<(), String>, mut seen: u32) -> Ending {
        let Sim { plan, steps, trace, story, facts, nodes, .. } = sim;
        let deaths = facts.deaths.len();
        seen |= u32::from(facts.deaths.starts_with(&[0, 1])) * sight("coordinators die in turn");
        seen |= u32::from(nodes.iter().flatten().count() == 1) * sight("one survives");
        Ending { verdict, plan, steps, deaths, seen, trace, story: story.unwrap_or_default() }
    }
}

struct Node<A> {
    actor: A,
    steps: u32,
    /// By member: when the last message to him arrives.
    arrivals: Vec<u32>,
    /// When the last notice comes.
    notice: u32,
}

/// What arrives of a dead member's last messages: at some, nothing after a while.
#[derive(Clone, Copy, Default)]
struct Hush {
    since: u32,
    deaf: u64,
}

struct Event<N> {
    to: usize,
    what: What<N>,
}

#[derive(Debug)]
enum What<N> {
    Wake,
    Hear(usize, N),
    Miss(usize, bool),
    Die,
}

/// Sources that are nobody.
const NOTICES: u32 = u32::MAX - 1;
const ACCIDENTS: u32 = u32::MAX;
/// Nothing that ends takes so many steps.
const PATIENCE: u32 = 3_000_000;

impl<A: Actor> Sim<A> {
    fn new(plan: Plan, story: bool) -> Sim<A> {
        Sim {
            random: Random::new(plan.seed ^ 0x5eed),
            plan,
            agenda: Agenda::default(),
            due: Vec::new(),
            now: 0,
            nodes: Vec::new(),
            facts: Facts::default(),
            losses: Vec::new(),
            steps: 0,
            trace: 0,
            story: story.then(Vec::new),
        }
    }

    /// Lets the actors live until nothing happens any more.
    fn run(&mut self, actors: Vec<A>, judge: &mut impl Judge<A>) -> Result<(), String> {
        for (id, actor) in actors.into_iter().enumerate() {
            self.admit(id, actor);
        }
        for (time, victim) in std::mem::take(&mut self.plan.accidents) {
            self.enter(time, ACCIDENTS, Event { to: victim, what: What::Die });
        }
        while let Some(Event { to, what }) = self.next() {
            self.steps += 1;
            if self.steps > PATIENCE {
                return Err("it does not end".into());
            }
            self.step(to, what, judge)?;
        }
        let living = self.nodes.iter().enumerate();
        let living = living.filter_map(|(id, node)| Some((id, &node.as_ref()?.actor)));
        judge.close(&living.collect::<Vec<_>>(), &self.facts)
    }

    /// Something that `source` causes will happen at `time`, which is later than now.
    fn enter(&mut self, time: u32, source: u32, event: Event<A::Note>) {
        assert!(time > self.now, "{time} is not to come");
        self.agenda.enter(time.into(), (source, event));
    }

    /// The next event, in the order of (time, source, sequence).
    fn next(&mut self) -> Option<Event<A::Note>> {
        if self.due.is_empty() {
            let time = self.agenda.next_time()?;
            self.agenda.take(time, &mut self.due);
            self.due.sort_by_key(|&(source, _)| source);
            self.due.reverse();
            self.now = time as u32;
        }
        self.due.pop().map(|(_, event)| event)
    }

    fn step(
        &mut self, to: usize, what: What<A::Note>, judge: &mut impl Judge<A>,
    ) -> Result<(), String> {
        let Some(mut node) = self.nodes.get_mut(to).and_then(Option::take) else { return Ok(()) };
        if self.is_lost(to, &what) {
            self.nodes[to] = Some(node);
            return Ok(());
        }
        self.tell(to, &what);
        let mut deed = Deed { acts: Vec::new(), wakes: 0, has_left: false };
        node.steps += 1;
        match what {
            What::Wake => node.actor.wake(&mut deed),
            What::Hear(from, note) => node.actor.hear(from, note, &mut deed),
            What::Miss(who, has_left) => node.actor.miss(who, has_left, &mut deed),
            What::Die => {
                self.die(to);
                return Ok(());
            }
        }
        judge.watch(to, &node.actor, &self.facts)?;
        let is_first = || (0..to).all(|lower| self.nodes[lower].is_none());
        let cut = self.plan.cut(&mut self.random, to, node.steps, deed.acts.len(), is_first);
        let has_left = deed.has_left;
        self.settle(to, node, deed, cut);
        match cut {
            Some(_) => self.die(to),
            None if has_left => self.leave(to),
            None => {}
        }
        Ok(())
    }

    /// What a member has done takes effect, as far as it came.
    fn settle(&mut self, id: usize, mut node: Node<A>, deed: Deed<A>, cut: Option<plan::Cut>) {
        for _ in 0..deed.wakes {
            let time = self.now + 1 + self.random.below(self.plan.late.into()) as u32;
            self.enter(time, id as u32, Event { to: id, what: What::Wake });
        }
        let mut births = Vec::new();
        for (index, act) in deed.acts.into_iter().enumerate() {
            let to = match &act {
                Act::Post(to, _) | Act::Birth(to, _) => *to,
            };
            if cut.is_some_and(|cut| cut.stops(index, to)) {
                continue;
            }
            match act {
                Act::Post(to, note) => self.send(id, &mut node, to, note),
                Act::Birth(to, actor) => births.push((to, actor)),
            }
        }
        self.nodes[id] = Some(node);
        for (to, actor) in births {
            if self.nodes.get(to).is_none_or(Option::is_none) && !self.is_gone(to) {
                self.facts.births += 1;
                self.admit(to, actor);
            }
        }
    }

    fn send(&mut self, from: usize, node: &mut Node<A>, to: usize, note: A::Note) {
        let delay = 1 + self.random.below(self.plan.delay.into()) as u32;
        if node.arrivals.len() <= to {
            node.arrivals.resize(to + 1, 0);
        }
        let time = node.arrivals[to].max(self.now + delay);
        node.arrivals[to] = time;
        self.enter(time, from as u32, Event { to, what: What::Hear(from, note) });
    }

    /// Somebody comes into the world, and knows all that was noticed before.
    fn admit(&mut self, id: usize, mut actor: A) {
        if self.nodes.len() <= id {
            self.nodes.resize_with(id + 1, || None);
            self.facts.dead.resize(id + 1, false);
            self.facts.left.resize(id + 1, false);
            self.losses.resize(id + 1, Hush::default());
        }
        let mut deed = Deed { acts: Vec::new(), wakes: 1, has_left: false };
        for &who in &self.facts.deaths {
            actor.miss(who, false, &mut deed);
        }
        for who in (0..id).filter(|&who| self.facts.left[who]) {
            actor.miss(who, true, &mut deed);
        }
        let (arrivals, notice) = (Vec::new(), self.now);
        self.settle(id, Node { actor, steps: 0, arrivals, notice }, deed, None);
        if self.plan.is_stillborn(&mut self.random, id) {
            self.die(id);
        }
    }

    fn is_gone(&self, id: usize) -> bool {
        let is = |list: &[bool]| list.get(id).copied().unwrap_or(false);
        is(&self.facts.dead) || is(&self.facts.left)
    }

    fn die(&mut self, id: usize) {
        if let Some(story) = &mut self.story {
            story.push(format!("{:>5}  {id} dies", self.now));
        }
        self.nodes[id] = None;
        self.facts.dead[id] = true;
        self.facts.deaths.push(id);
        let since = self.now + self.random.below(self.plan.delay.into()) as u32;
        let deaf = self.random.bits() & self.random.bits();
        self.losses[id] = Hush { since, deaf };
        self.announce(id, false);
    }

    fn leave(&mut self, id: usize) {
        self.nodes[id] = None;
        self.facts.left[id] = true;
        self.announce(id, true);
    }

    fn announce(&mut self, id: usize, has_left: bool) {
        let now = self.now;
        for (to, node) in self.nodes.iter_mut().enumerate() {
            let Some(node) = node else { continue };
            let mut time = now + 1 + self.random.below(self.plan.notice.into()) as u32;
            if self.plan.is_ordered {
                time = time.max(node.notice);
                node.notice = time;
            }
            let event = Event { to, what: What::Miss(id, has_left) };
            self.agenda.enter(time.into(), (NOTICES, event));
        }
    }

    /// Whether this message of somebody dead does not arrive.
    fn is_lost(&self, to: usize, what: &What<A::Note>) -> bool {
        let &What::Hear(from, _) = what else { return false };
        let Hush { since, deaf } = self.losses[from];
        self.facts.dead[from] && deaf >> (to % 64) & 1 == 1 && self.now > since
    }

    fn tell(&mut self, to: usize, what: &What<A::Note>) {
        let (kind, from) = match what {
            What::Wake => (0, 0),
            What::Hear(from, _) => (1, *from),
            What::Miss(who, _) => (2, *who),
            What::Die => (3, 0),
        };
        let news = u64::from(self.now) << 32 | (to << 16 | from << 2 | kind) as u64;
        self.trace = (self.trace.rotate_left(5) ^ news).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if let Some(story) = &mut self.story {
            story.push(format!("{:>5}  {to} <- {what:?}", self.now));
        }
    }
}
